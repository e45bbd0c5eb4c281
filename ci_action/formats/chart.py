"""A small chart of before and after in Mermaid, which GitHub and GitLab draw."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.ci_action.report.document import FunctionPart

MOST_SHOWN = 6
_COLOUR = "#1d6fb8"  # Mermaid's own is too pale to see
_FRAME, _ROW = 90, 28  # pixels: title and axis, and a bar with its gap
_OBJECTIVE = {"time": "time", "memory": "peak memory", "integral": "memory integral"}  # of gains that do not say


def mermaid_chart(functions: Sequence[FunctionPart], objective: str) -> str:
    """A chart for each figure that gains are of; empty if nothing was measured.

    Args:
        functions: of which the first few with a gain are shown.
        objective: of the run.
    """
    shown = [each for each in functions if each.gain is not None and each.gain.ratio > 0][:MOST_SHOWN]

    def figure(function: FunctionPart) -> str:
        return (function.gain and function.gain.figure) or _OBJECTIVE[objective]

    return "\n".join(_chart(name, list(group)) for name, group in groupby(sorted(shown, key=figure), key=figure))


def _chart(figure: str, shown: Sequence[FunctionPart]) -> str:
    """Two bars for each function, the larger one as 100.

    Mermaid draws several series over one another, and so two bars of one label: each bar is a row with a label of its
    own.
    """
    ratios = [each.gain.ratio for each in shown if each.gain is not None]
    names = [f'"{label} {when}"' for label in _labels(shown) for when in ("before", "after")]
    bars = ", ".join(f"{100 * min(1, part):.1f}" for ratio in ratios for part in (ratio, 1 / ratio))
    look = f'"xyChart": {{"height": {_FRAME + _ROW * len(names)}}}'
    colour = f'"themeVariables": {{"xyChart": {{"plotColorPalette": "{_COLOUR}"}}}}'
    return (
        "```mermaid\n"
        f"%%{{init: {{{look}, {colour}}}}}%%\n"
        "xychart-beta horizontal\n"
        f'    title "{figure[0].upper()}{figure[1:]} before and after, the larger one as 100"\n'
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
