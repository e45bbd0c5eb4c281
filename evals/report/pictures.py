"""Figure 5 as files, SVG and PNG: for papers and slides, the same bytes for the same numbers."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal

from afterburner.evals.report.measures import MEASURES
from afterburner.sandbox.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from afterburner.evals.report.curves import Curve
    from afterburner.evals.report.measures import Measure

_COLOURS = ("#0b5fa5", "#c2410c", "#116329", "#8a2b8f", "#8a6100", "#a40e26", "#00707a", "#4b5563")
_DASHES: tuple[Literal["-", "--", ":"], ...] = ("-", "--", ":")
_LONGEST = 48  # characters of a label
_CAPTION = (120, 4)  # characters of a line of the caption, and lines
_EQUAL = (62, 3)  # likewise of the names of equal curves, above a panel
_INCHES = (10.0, 7.2)
_SETTINGS: Any = {
    "svg.hashsalt": "afterburner",
    "svg.fonttype": "path",
    "text.usetex": False,
    "font.family": "DejaVu Sans",
}


def write_pictures(folder: Path, name: str, curves: Sequence[Curve], caption: str) -> list[Path]:
    """Write `NAME.svg` and `NAME.png`, and return their paths.

    Raises:
        OSError: the folder cannot be written.
    """
    import matplotlib as mpl  # noqa: PLC0415 - heavy
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - heavy
    from matplotlib.figure import Figure  # noqa: PLC0415 - heavy

    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / f"{name}.svg", folder / f"{name}.png"]
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=_INCHES, layout="constrained")
        FigureCanvasAgg(figure)
        for axes, measure in zip(figure.subplots(2, 2).flat, MEASURES, strict=True):
            _panel(axes, curves, measure)
        _legend(figure, curves, caption)
        figure.savefig(written[0], format="svg", metadata={"Date": None, "Creator": None})
        figure.savefig(written[1], format="png", dpi=150, metadata={"Software": None})
    return written


def _panel(axes: Any, curves: Sequence[Curve], measure: Measure) -> None:
    for curve in curves:
        known = curve.known(measure)
        colour = _COLOURS[curve.place % len(_COLOURS)]
        at, values = [each for each, _ in known], [score.value for _, score in known]
        low = [score.value if score.low is None else score.low for _, score in known]
        high = [score.value if score.high is None else score.high for _, score in known]
        axes.fill_between(at, low, high, color=colour, alpha=0.13, linewidth=0)
        line = {"color": colour, "marker": "o", "markersize": 3.5, "linestyle": _dashes(curve)}
        # Whole on the frame, too: at 0%. Without points, a line that is not clipped breaks the layout.
        axes.plot(at, values, **line, clip_on=not at, zorder=3)
        papers = curve.papers.get(measure, {})
        axes.plot(list(papers), list(papers.values()), color=colour, marker="D", fillstyle="none", linestyle="none")
    axes.set_title(measure.value, loc="left", fontsize=11)
    axes.set_title(_equal_curves(curves, measure), loc="right", fontsize=8, color="#4b5563", parse_math=False)
    axes.set_xlabel("iteration")
    axes.set_ylabel("%")
    axes.xaxis.get_major_locator().set_params(integer=True)
    _set_limits(axes, curves, measure)
    axes.grid(visible=True, color="#d3dae0", linewidth=0.6)


def _set_limits(axes: Any, curves: Sequence[Curve], measure: Measure) -> None:
    """Leave the limits to matplotlib, but for a flat line: that it stretches over a hair's breadth."""
    known = [score for curve in curves for _, score in curve.known(measure)]
    bounds = [each for score in known for each in (score.value, score.low, score.high) if each is not None]
    bounds += [figure for curve in curves for figure in curve.papers.get(measure, {}).values()]
    if not bounds:
        axes.text(0.5, 0.5, "no values", transform=axes.transAxes, ha="center", color="#4b5563")
        axes.set_xlim(0, max(max(len(curve.scores[measure]) for curve in curves) - 1, 1))
        axes.set_ylim(0, 100)
    elif max(bounds) - min(bounds) < 1:
        axes.set_ylim(max(min(bounds) - 5, 0), max(bounds) + 5)


def _equal_curves(curves: Sequence[Curve], measure: Measure) -> str:
    """Which curves have the same values, since only the last one drawn is seen; empty: none have."""
    known = defaultdict(list)
    for curve in curves:
        values = tuple((at, round(score.value, 6)) for at, score in curve.known(measure))
        if values:
            known[values].append(_short(curve.label))
    groups = [labels for labels in known.values() if len(labels) > 1]
    if not groups:
        return ""
    if len(groups[0]) == len(curves):
        return f"all {len(curves)} curves are equal" if len(curves) > 2 else "both curves are equal"
    return _wrapped("; ".join(f"equal: {', '.join(labels)}" for labels in groups), *_EQUAL)


def _legend(figure: Any, curves: Sequence[Curve], caption: str) -> None:
    """What the lines mean, below. Names come from strangers: nothing of them is read as a formula."""
    from matplotlib.lines import Line2D  # noqa: PLC0415 - heavy

    lines = [
        Line2D([], [], color=_COLOURS[each.place % len(_COLOURS)], marker="o", markersize=3.5, linestyle=_dashes(each))
        for each in curves
    ]
    labels = [_short(each.label) for each in curves]
    if any(each.papers for each in curves):
        lines.append(Line2D([], [], color="#4b5563", marker="D", fillstyle="none", linestyle="none"))
        labels.append("the paper's")
    legend = figure.legend(lines, [str(at) for at in range(len(lines))], loc="outside lower center", ncols=2)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(label)
    told = [_wrapped(_printable(each), *_CAPTION) for each in caption.splitlines()[: _CAPTION[1]]]
    figure.suptitle("\n".join(told), fontsize=9, parse_math=False)


def _dashes(curve: Curve) -> Literal["-", "--", ":"]:
    return _DASHES[curve.place // len(_COLOURS) % len(_DASHES)]


def _short(label: str) -> str:
    """A label that fits into the legend."""
    line = _printable(label)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


def _printable(text: str) -> str:
    """What the font has: other letters would be boxes, and a warning each."""
    return visible(" ".join(text.split())).encode("latin-1", "replace").decode("latin-1")


def _wrapped(text: str, width: int, lines: int) -> str:
    return textwrap.fill(text, width, max_lines=lines, placeholder=" ...")
