"""Figure 5 within the page: a picture for each score, which a script lets its reader ask for values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.page.markup import safe
from afterburner.evals.report.axis import Axis, axis_over
from afterburner.evals.report.curves import MOST_COLOURS, values_table, values_told
from afterburner.evals.report.measures import MEASURES
from afterburner.evals.report.table_html import rows_html

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.report.curves import Curve
    from afterburner.evals.report.measures import Measure, Score

WIDTH, HEIGHT = 460, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 448, 30, 252
_MOST_LABELS = 11


def curves_html(curves: Sequence[Curve]) -> str:
    """The pictures with their legend, and all values as a table.

    Args:
        curves: of at least one iteration, at least one of them.
    """
    pictures = "\n".join(f'<div class="wide">{_picture(curves, measure)}</div>' for measure in MEASURES)
    legend = "".join(_legend(each) for each in curves)
    return (
        f'<figure class="curves">\n<ul class="legend">{legend}</ul>\n'
        '<p class="readout soft" aria-live="polite" hidden>Point at a dot to read its value.</p>\n'
        f'<div class="panels">{pictures}</div>\n'
        f"<details><summary>All values</summary>{rows_html(values_table(curves))}</details>\n</figure>"
    )


def _legend(curve: Curve) -> str:
    box = f'<input type="checkbox" checked hidden data-toggles="{curve.place}">'
    line = f'<svg class="picture key {_style(curve)}" viewBox="0 0 36 12" aria-hidden="true"><path d="M0 6H36"/></svg>'
    papers = ' <span class="soft">◇ the paper\'s</span>' if curve.papers else ""
    return f"<li><label>{box} {line} {safe(curve.label)}{papers}</label></li>"


def _style(curve: Curve) -> str:
    return f"c{curve.place % MOST_COLOURS} d{curve.place // MOST_COLOURS % 3}"


def _picture(curves: Sequence[Curve], measure: Measure) -> str:
    last = max(len(each.scores[measure]) for each in curves) - 1
    across = Axis(0, max(last, 1), _LEFT + 8, _RIGHT - 8)
    figures = [figure for each in curves for figure in _figures(each, measure)]
    up = axis_over(figures or [0.0, 100.0], _BOTTOM - 6, _TOP + 6)
    named = safe(f"{measure.value} over the iterations, in percent; the values are in the table below")
    shapes = [*_frame(measure, across, up, last)]
    for each in curves:
        shapes += [f'<g class="{_style(each)}" data-run="{each.place}">', *_curve(each, measure, across, up), "</g>"]
    if not figures:
        shapes.append(f'<text class="soft" x="{WIDTH / 2}" y="{HEIGHT / 2}" text-anchor="middle">no values</text>')
    head = f'<svg class="picture curve" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{named}">'
    return "\n".join([head, *shapes, "</svg>"])


def _figures(curve: Curve, measure: Measure) -> Iterator[float]:
    for _, score in curve.known(measure):
        yield score.value
        yield from _bounds(score)
    yield from curve.papers.get(measure, {}).values()


def _bounds(score: Score) -> tuple[float, float]:
    low = score.value if score.low is None else score.low
    return low, score.value if score.high is None else score.high


def _frame(measure: Measure, across: Axis, up: Axis, last: int) -> Iterator[str]:
    yield f'<text class="bold" x="{_LEFT}" y="18">{safe(measure.value)}, %</text>'
    for tick in up.ticks():
        y = up.at(tick)
        yield f'<line class="grid" x1="{_LEFT}" y1="{y}" x2="{_RIGHT}" y2="{y}"/>'
        yield f'<text class="soft" x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{tick:g}</text>'
    step = last // _MOST_LABELS + 1
    for at in range(0, last + 1, step):
        yield f'<text class="soft" x="{across.at(at)}" y="{_BOTTOM + 18}" text-anchor="middle">{at}</text>'
    yield f'<path class="axis" d="M{_LEFT} {_BOTTOM}H{_RIGHT}"/>'
    yield f'<text x="{(_LEFT + _RIGHT) / 2}" y="{_BOTTOM + 38}" text-anchor="middle">iteration</text>'


def _curve(curve: Curve, measure: Measure, across: Axis, up: Axis) -> Iterator[str]:
    known = curve.known(measure)
    if known:
        low = [f"{across.at(at)},{up.at(_bounds(score)[0])}" for at, score in known]
        high = [f"{across.at(at)},{up.at(_bounds(score)[1])}" for at, score in known]
        yield f'<polygon class="band" points="{" ".join(low + high[::-1])}"/>'
        yield f'<polyline points="{" ".join(f"{across.at(at)},{up.at(score.value)}" for at, score in known)}"/>'
    for at, score, told in values_told(curve, measure):
        yield _dot(across.at(at), up.at(score.value), told)
    for at, value in curve.papers.get(measure, {}).items():
        if at <= across.high:
            told = safe(f"{curve.label}, iteration {at}: {measure.value} {value:.2f} in the paper")
            shape = f"M{across.at(at)} {up.at(value) - 5}l5 5l-5 5l-5 -5z"
            yield f'<path class="papers" data-told="{told}" d="{shape}"><title>{told}</title></path>'


def _dot(x: float, y: float, told: str) -> str:
    return f'<circle data-told="{safe(told)}" cx="{x}" cy="{y}" r="3.5"><title>{safe(told)}</title></circle>'
