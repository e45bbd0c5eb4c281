"""What both pictures of growth share: the series, and where a size and a time lie on logarithmic axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.evidence.classes import Fit
    from afterburner.agent.evidence.growth import Growth

CURVE_STEPS = 120


@dataclass(frozen=True, slots=True)
class Series:
    """One program: its name, what was measured (size, CPU seconds), and the fit, if there is one."""

    name: str
    points: tuple[tuple[float, float], ...]
    fit: Fit | None

    def curve(self) -> list[tuple[float, float]]:
        """The fit between its smallest and its largest size."""
        if self.fit is None or len(self.points) < 2:
            return []
        first, last = math.log(self.points[0][0]), math.log(self.points[-1][0])
        sizes = [math.exp(first + (last - first) * step / CURVE_STEPS) for step in range(CURVE_STEPS + 1)]
        return [(size, max(self.fit.time_s(size), 1e-12)) for size in sizes]


@dataclass(frozen=True, slots=True)
class Axes:
    """The ranges of a log-log picture; `x` and `y` give shares of its width and height, from the lower left."""

    sizes: tuple[float, float]
    times_s: tuple[float, float]

    def x(self, size: float) -> float:
        """Where a size lies, 0 to 1."""
        return _share(size, self.sizes)

    def y(self, time_s: float) -> float:
        """Where a time lies, 0 to 1."""
        return min(max(_share(time_s, self.times_s), 0.0), 1.0)


def series_of(growth: Growth) -> tuple[Series, ...]:
    """The original and, where it was measured, the rewrite."""
    original = tuple((float(point.size), point.original_s) for point in growth.points)
    rewrite = tuple((float(point.size), point.winner_s) for point in growth.points if point.winner_s is not None)
    both = (Series("original", original, growth.original), Series("rewrite", rewrite, growth.winner))
    return tuple(each for each in both if each.points)


def axes_of(series: tuple[Series, ...]) -> Axes:
    """Axes that hold all points; there has to be one."""
    sizes = [size for each in series for size, _ in each.points]
    times = [time_s for each in series for _, time_s in each.points]
    return Axes((min(sizes), max(sizes)), (min(times), max(times)))


def decades(low: float, high: float) -> list[float]:
    """The powers of ten within a range."""
    return [10.0**power for power in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)]


def _share(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return math.log(value / low) / math.log(high / low) if high > low else 0.5
