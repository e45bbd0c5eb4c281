"""A small chart of before and after in Mermaid, which GitHub and GitLab draw."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.ci_action.report.document import FunctionPart

MOST_SHOWN = 6
_COLOUR = "#1d6fb8"  # Mermaid's own is too pale to see
_FRAME, _ROW = 90, 28  # pixels: title and axis, and a bar with its gap
_UNIT = {"time": "CPU time", "memory": "peak memory", "integral": "memory over time"}


def mermaid_chart(functions: Sequence[FunctionPart], objective: str) -> str:
    """Two bars for each function, the larger one as 100; empty if nothing was measured.

    Mermaid draws several series over one another, and so two bars of one label: each bar is a row with a label of its
    own.
    """
    shown = [each for each in functions if each.gain is not None and each.gain.ratio > 0][:MOST_SHOWN]
    if not shown:
        return ""
    ratios = [each.gain.ratio for each in shown if each.gain is not None]
    names = [f'"{label} {when}"' for label in _labels(shown) for when in ("before", "after")]
    bars = ", ".join(f"{100 * min(1, part):.1f}" for ratio in ratios for part in (ratio, 1 / ratio))
    look = f'"xyChart": {{"height": {_FRAME + _ROW * len(names)}}}'
    colour = f'"themeVariables": {{"xyChart": {{"plotColorPalette": "{_COLOUR}"}}}}'
    return (
        "```mermaid\n"
        f"%%{{init: {{{look}, {colour}}}}}%%\n"
        "xychart-beta horizontal\n"
        f'    title "{_UNIT[objective]} before and after, the larger one as 100"\n'
        f"    x-axis [{', '.join(names)}]\n"
        '    y-axis "percent" 0 --> 100\n'
        f"    bar [{bars}]\n"
        "```\n"
    )


def _labels(functions: Sequence[FunctionPart]) -> list[str]:
    """The names of the functions, with a number from the second of one name on."""
    names = [_label(each) for each in functions]
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [f"{name} ({number + 1})" if number else name for name, number in zip(names, before, strict=True)]


def _label(function: FunctionPart) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "?", function.function.rpartition(".")[2])[:24]
