"""The samples of both versions as a picture: a dot for each, and a line at the median of each version."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.page.figures import TIMES, show_figure
from afterburner.agent.page.markup import safe
from afterburner.agent.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.evidence.samples import SampleFigures

WIDTH, HEIGHT = 480, 190
_LEFT, _RIGHT, _BOTTOM = 64, 464, 142
_ROWS = {"before": 42.0, "after": 106.0}  # the middle of each
_BAND = 22.0  # the dots of a row lie in a band of this height, so that equal ones do not hide each other
_GOLDEN = 0.6180339887498949  # its multiples fill the band evenly, whatever the number of samples
_FAR_APART = 4.0  # the largest figure over the smallest, from where on the axis is logarithmic
_MOST_TICKS = 7
_OF_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_OF_KIB = ((1024.0**2, "GiB"), (1024.0, "MiB"), (1.0, "KiB"))


@dataclass(frozen=True, slots=True)
class _Axis:
    """The figures from left to right, in a unit that is `factor` times the one they are measured in."""

    low: float
    high: float
    is_log: bool
    factor: float
    unit: str

    def x(self, figure: float) -> float:
        """Where a figure lies in the picture."""
        low, high, at = (math.log(each) if self.is_log else each for each in (self.low, self.high, figure))
        return round(_LEFT + (at - low) / (high - low) * (_RIGHT - _LEFT), 1)

    def ticks(self) -> list[float]:
        """Round numbers of the unit, from low to high."""
        low, high = self.low / self.factor, self.high / self.factor
        return _log_ticks(low, high) if self.is_log else _even_ticks(low, high)


def samples_picture(samples: SampleFigures) -> str:
    """The picture, as SVG within HTML; its colours are the page's.

    Args:
        samples: finite figures, at least one of each version.
    """
    axis = _axis_of(samples)
    named = safe(f"{samples.noun} of each sample, before and after")
    rows = [_row("before", samples.before, samples.noun, axis), _row("after", samples.after, samples.noun, axis)]
    shapes = [*_frame(axis, samples.noun), *rows[0], *rows[1]]
    head = f'<svg class="picture samples" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{named}">'
    return "\n".join([head, *shapes, "</svg>"])


def _axis_of(samples: SampleFigures) -> _Axis:
    figures = (*samples.before, *samples.after)
    low, high = min(figures), max(figures)
    is_log = low > 0 and high / low >= _FAR_APART
    if is_log:
        room = (high / low) ** 0.04
        low, high = low / room, high * room
    else:
        room = (high - low) * 0.06 or abs(high) * 0.05 or 1.0
        low, high = low - room, high + room
    units = _OF_SECONDS if samples.noun in TIMES else _OF_KIB
    factor, unit = next((each for each in units if high >= each[0]), units[-1])
    return _Axis(low, high, is_log, factor, f"{unit}·s" if samples.noun == "memory integral" else unit)


def _even_ticks(low: float, high: float) -> list[float]:
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough)
    return [each * step for each in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Of three spacings the closest one that leaves room for the labels."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1,)):
        ticks = [digit * 10.0**power for power in powers for digit in digits if low <= digit * 10.0**power <= high]
        if len(ticks) <= _MOST_TICKS:
            return ticks
    return ticks[:: math.ceil(len(ticks) / _MOST_TICKS)]


def _frame(axis: _Axis, noun: str) -> list[str]:
    shapes = []
    for tick in axis.ticks():
        x = axis.x(tick * axis.factor)
        shapes.append(f'<line class="grid" x1="{x}" y1="20" x2="{x}" y2="{_BOTTOM}"/>')
        shapes.append(f'<text class="soft" x="{x}" y="{_BOTTOM + 18}" text-anchor="middle">{tick:.6g}</text>')
    scale = ", log scale" if axis.is_log else ""
    label = safe(f"{noun} of each sample ({axis.unit}{scale})")
    middle = (_LEFT + _RIGHT) / 2
    return [
        *shapes,
        f'<path class="axis" d="M{_LEFT} {_BOTTOM}H{_RIGHT}"/>',
        f'<text x="{middle:.0f}" y="{_BOTTOM + 40}" text-anchor="middle">{label}</text>',
    ]


def _row(name: str, figures: Sequence[float], noun: str, axis: _Axis) -> list[str]:
    y = _ROWS[name]
    median = statistics.median(figures)
    x = axis.x(median)
    anchor = "start" if x < (_LEFT + _RIGHT) / 2 else "end"
    told = safe(f"median {show_figure(noun, median)} of {count(len(figures), 'sample')}")
    return [
        f'<text class="{name}" x="{_LEFT - 10}" y="{y + 5:.0f}" text-anchor="end">{name}</text>',
        *(_dot(name, place, each, axis) for place, each in enumerate(figures)),
        f'<line class="{name} median" x1="{x}" y1="{y - 16:.0f}" x2="{x}" y2="{y + 16:.0f}"/>',
        f'<text class="soft" x="{x}" y="{y - 20:.0f}" text-anchor="{anchor}">{told}</text>',
    ]


def _dot(name: str, place: int, figure: float, axis: _Axis) -> str:
    y = _ROWS[name] + (place * _GOLDEN % 1 - 0.5) * _BAND
    return f'<circle class="{name}" cx="{axis.x(figure)}" cy="{y:.1f}" r="2.6"/>'
