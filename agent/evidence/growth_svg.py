"""The chart of growth as SVG: deterministic, readable on light and on dark paper, axes with their units."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from afterburner.agent.evidence.axes import axes_of, decades, series_of
from afterburner.sandbox.terminal.formatting import format_seconds

if TYPE_CHECKING:
    from afterburner.agent.evidence.axes import Axes, Series
    from afterburner.agent.evidence.growth import Growth

WIDTH, HEIGHT = 640, 400
_LEFT, _TOP, _RIGHT, _BOTTOM = 84, 44, 616, 336
_TIME = "CPU time of one call (log scale)"
_STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1f2933; }
.paper { fill: #ffffff; } .axis { stroke: #7b8794; fill: none; } .grid { stroke: #e4e7eb; }
.soft { fill: #616e7c; font-size: 12px; } .bold { font-weight: 600; }
.original { stroke: #c2410c; fill: none; } .rewrite { stroke: #1d6fb8; fill: none; }
circle.original, rect.original { fill: #c2410c; } circle.rewrite, rect.rewrite { fill: #1d6fb8; }
text.original { fill: #c2410c; stroke: none; } text.rewrite { fill: #1d6fb8; stroke: none; }
@media (prefers-color-scheme: dark) {
text { fill: #e4e7eb; } .paper { fill: #16191d; } .grid { stroke: #323f4b; } .soft { fill: #9aa5b1; }
.original { stroke: #fb923c; } circle.original, rect.original, text.original { fill: #fb923c; }
.rewrite { stroke: #60b5ff; } circle.rewrite, rect.rewrite, text.rewrite { fill: #60b5ff; }
}"""


def growth_svg(growth: Growth, title: str) -> str:
    """The picture as a file of its own.

    Args:
        growth: with at least one point.
        title: such as `report.py pairs`.

    Raises:
        ValueError: nothing was measured.
    """
    start = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    return "\n".join([start, f"<style>\n{_STYLE}\n</style>", *_shapes(growth, title), "</svg>\n"])


def growth_picture(growth: Growth, title: str) -> str:
    """The same picture within a page, whose style sheet has the colours.

    Raises:
        ValueError: nothing was measured.
    """
    start = f'<svg class="picture growth" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
    return "\n".join([start, *_shapes(growth, title), "</svg>"])


def _shapes(growth: Growth, title: str) -> list[str]:
    series = series_of(growth)
    if not series:
        raise ValueError(growth.note or "growth was not measured")
    axes = axes_of(series)
    heading = title if not growth.sentence else f"{title}: {growth.sentence}"
    shapes = [
        f"<title>{_text(heading)}</title>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="bold" x="16" y="26">{_text(heading)}</text>',
        *_frame(axes, growth.scaled),
    ]
    for place, each in enumerate(series):
        shapes += _drawn(each, axes)
        shapes += _legend(each, place)
    return shapes


def _frame(axes: Axes, scaled: str) -> list[str]:
    shapes = []
    for time_s in decades(*axes.times_s) or [axes.times_s[0]]:
        y = _y(axes, time_s)
        shapes.append(f'<line class="grid" x1="{_LEFT}" y1="{y}" x2="{_RIGHT}" y2="{y}"/>')
        shapes.append(f'<text class="soft" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_plain(time_s)}</text>')
    ends = {size: f"{size:g}" for size in (*axes.sizes, *decades(*axes.sizes))}
    drawn: list[float] = []
    for size, label in ends.items():
        x = _x(axes, size)
        if all(abs(x - other) > 40 for other in drawn):
            drawn.append(x)
            shapes.append(f'<line class="axis" x1="{x}" y1="{_BOTTOM}" x2="{x}" y2="{_BOTTOM + 5}"/>')
            shapes.append(f'<text class="soft" x="{x}" y="{_BOTTOM + 20}" text-anchor="middle">{label}</text>')
    middle = (_LEFT + _RIGHT) / 2
    unit = "elements, " if scaled.startswith("len(") else ""
    return [
        *shapes,
        f'<path class="axis" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}"/>',
        f'<text x="{middle:.0f}" y="{_BOTTOM + 42}" text-anchor="middle">{_text(scaled)} ({unit}log scale)</text>',
        f'<text transform="translate(16 {(_TOP + _BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">{_TIME}</text>',
    ]


def _drawn(series: Series, axes: Axes) -> list[str]:
    curve = " ".join(f"{_x(axes, size)},{_y(axes, time_s)}" for size, time_s in series.curve())
    shapes = [f'<polyline class="{series.name}" stroke-width="1.5" points="{curve}"/>'] if curve else []
    for size, time_s in series.points:
        title = f"<title>{size:g}: {_text(format_seconds(time_s))}</title>"
        x, y = _x(axes, size), _y(axes, time_s)
        if series.name == "original":
            shapes.append(f'<circle class="{series.name}" cx="{x}" cy="{y}" r="4">{title}</circle>')
        else:
            box = f'x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"'
            shapes.append(f'<rect class="{series.name}" {box}>{title}</rect>')
    return shapes


def _legend(series: Series, place: int) -> list[str]:
    fit = series.fit
    told = f": {fit.text}, measured exponent {fit.exponent:.2f}" if fit is not None else ""
    sign = "●" if series.name == "original" else "■"
    at = f'x="{_LEFT + 14}" y="{_TOP + 16 + 20 * place}"'
    return [f'<text class="{series.name}" {at}>{sign} {series.name}{_text(told)}</text>']


def _x(axes: Axes, size: float) -> float:
    return round(_LEFT + axes.x(size) * (_RIGHT - _LEFT), 1)


def _y(axes: Axes, time_s: float) -> float:
    return round(_BOTTOM - axes.y(time_s) * (_BOTTOM - _TOP), 1)


def _plain(time_s: float) -> str:
    """A power of ten with its unit: `10 ms`."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")):
        if time_s * factor >= 0.9995:
            return f"{time_s * factor:.3g} {unit}"
    return f"{time_s:.0e} s"


def _text(text: str) -> str:
    """Safe in XML: escaped, and without the characters that XML does not allow."""
    return escape("".join(c if c.isprintable() and not "\ud800" <= c <= "\udfff" else "?" for c in text))
