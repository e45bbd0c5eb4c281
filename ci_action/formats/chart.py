"""A small chart of before and after in Mermaid, which GitHub and GitLab draw."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.ci_action.report.document import FunctionPart

MOST_BARS = 8
_UNIT = {"time": "CPU time", "memory": "peak memory", "integral": "memory over time"}


def mermaid_chart(functions: Sequence[FunctionPart], objective: str) -> str:
    """A bar for each version of each function, the larger of the two as 100; empty if nothing was measured."""
    shown = [each for each in functions if each.gain is not None and each.gain.ratio > 0][:MOST_BARS]
    if not shown:
        return ""
    ratios = [each.gain.ratio for each in shown if each.gain is not None]
    names = ", ".join(f'"{_label(each)}"' for each in shown)
    return (
        "```mermaid\n"
        "xychart-beta\n"
        f'    title "{_UNIT[objective]} before and after, the larger one as 100"\n'
        f"    x-axis [{names}]\n"
        '    y-axis "percent" 0 --> 100\n'
        f"    bar [{', '.join(f'{100 * min(1, ratio):.1f}' for ratio in ratios)}]\n"
        f"    bar [{', '.join(f'{100 * min(1, 1 / ratio):.1f}' for ratio in ratios)}]\n"
        "```\n"
    )


def _label(function: FunctionPart) -> str:
    return re.sub(r"[^A-Za-z0-9_.]", "?", function.function)[-28:]
