"""A small chart of before and after in Mermaid, which GitHub and GitLab draw."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.ci_action.report.document import FunctionPart

MOST_SHOWN = 6
_UNIT = {"time": "CPU time", "memory": "peak memory", "integral": "memory over time"}


def mermaid_chart(functions: Sequence[FunctionPart], objective: str) -> str:
    """Two bars for each function, the larger one as 100; empty if nothing was measured.

    Mermaid draws several series over one another, so before and after are two places of one series.
    """
    shown = [each for each in functions if each.gain is not None and each.gain.ratio > 0][:MOST_SHOWN]
    if not shown:
        return ""
    ratios = [each.gain.ratio for each in shown if each.gain is not None]
    names = ", ".join(f'"{_label(each)} {when}"' for each in shown for when in ("before", "after"))
    bars = ", ".join(f"{100 * min(1, part):.1f}" for ratio in ratios for part in (ratio, 1 / ratio))
    return (
        "```mermaid\n"
        "xychart-beta\n"
        f'    title "{_UNIT[objective]} before and after, the larger one as 100"\n'
        f"    x-axis [{names}]\n"
        '    y-axis "percent" 0 --> 100\n'
        f"    bar [{bars}]\n"
        "```\n"
    )


def _label(function: FunctionPart) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "?", function.function.rpartition(".")[2])[:24]
