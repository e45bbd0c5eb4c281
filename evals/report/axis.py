"""An axis of a picture: where a figure lies on it, and its round numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_FAR_APART = 8.0  # the largest figure over the smallest, from where on the axis is logarithmic
_ROOM = 0.06  # beyond the figures, as a share of their range


@dataclass(frozen=True, slots=True)
class Axis:
    """Figures from `low` to `high` on pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def at(self, figure: float) -> float:
        """Where a figure lies, in pixels."""
        low, high, here = (math.log(each) if self.is_log else each for each in (self.low, self.high, figure))
        return round(self.start + (here - low) / (high - low) * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """Round numbers from low to high."""
        if not self.is_log:
            return _even(self.low, self.high)
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        digits = (1, 2, 5) if len(powers) <= 4 else (1,)
        ticks = [each * 10.0**power for power in powers for each in digits]
        return [each for each in ticks if self.low <= each <= self.high]


def axis_over(figures: Iterable[float], start: float, end: float, *, may_be_log: bool = False) -> Axis:
    """An axis that holds the figures, finite ones and at least one, with a little room."""
    known = list(figures)
    low, high = min(known), max(known)
    if may_be_log and low > 0 and high / low >= _FAR_APART:
        room = (high / low) ** _ROOM
        return Axis(low / room, high * room, start, end, is_log=True)
    room = (high - low) * _ROOM or abs(high) * _ROOM or 1.0
    return Axis(low - room, high + room, start, end)


def _even(low: float, high: float) -> list[float]:
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= rough)
    return [round(each * step, 10) for each in range(math.ceil(low / step), math.floor(high / step) + 1)]
