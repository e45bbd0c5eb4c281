"""Fits times against sizes to the usual classes of growth, and says so if they cannot be told apart.

For each class, `t = a + b·f(n)` with `a, b >= 0` is fitted by least squares on the relative error: a call of 10 µs
counts as much as one of a second. Classes are compared by what each predicts for a size that it was not fitted to
(leave one out), on the log scale, by the Bayesian information criterion, which charges for parameters; those
that do as well as the best are all named.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Points = Sequence[tuple[float, float]]

FEWEST_SIZES = 4
SMALLEST_RANGE = 8.0  # of the largest size to the smallest
SMALLEST_RANGE_EXPONENTIAL = 3.0  # nothing else grows so fast that its range stays as small
TELLING = 32.0  # over the number of sizes: the difference of the criterion from which one class is believed
NOISE = 0.02  # relative; errors below this say nothing
FLAT = 1.25  # growth over all sizes below which a time is called constant
LAST_RANGE = 4.0  # of the largest size to the smallest of those at the end of the ladder,
STEEPER = 0.25  # and how much steeper the times may rise among these than the class does: caches and noise do as much
BASES = tuple(round(1.2 + 0.1 * step, 1) for step in range(29))  # 1.2 to 4.0
LARGEST_EXPONENT = 600.0


@dataclass(frozen=True, slots=True)
class GrowthClass:
    """One class; `parameters` counts what is fitted."""

    name: str
    f: Callable[[float], float]
    parameters: int = 2


def _log(n: float) -> float:
    return math.log2(max(n, 1.0)) + 1.0  # from 1 on, so that one element takes time, too


CLASSES = (
    GrowthClass("1", lambda _n: 1.0, parameters=1),
    GrowthClass("log n", _log),
    GrowthClass("n", lambda n: n),
    GrowthClass("n log n", lambda n: n * _log(n)),
    GrowthClass("n²", lambda n: n**2),
    GrowthClass("n² log n", lambda n: n**2 * _log(n)),
    GrowthClass("n³", lambda n: n**3),
)


@dataclass(frozen=True, slots=True)
class Fit:
    """How times grow. `a_s + b_s · f(size)` is the fitted CPU time in seconds.

    `name` is the class (`n log n`, `1.60ⁿ`), or `unclear` with `rivals` naming those that cannot be told apart.
    `exponent` is the slope of log time over log size, empirically, over the upper half of the sizes. `error` is the
    root mean square of the relative error.
    """

    name: str
    a_s: float
    b_s: float
    exponent: float
    error: float
    best: str  # the class that fits best, also where it is unclear
    rivals: tuple[str, ...] = ()
    reason: str = ""  # why it is unclear, if not for rivals

    @property
    def text(self) -> str:
        """`n log n`; `n or n log n` where several fit equally well; or `unclear (3 sizes are too few)`."""
        if self.reason:
            return f"{UNCLEAR} ({self.reason})"
        return " or ".join(self.rivals) or self.name

    def grows_faster_than(self, other: Fit) -> bool:
        """Whether every class that may be its own grows faster than all that may be the other's."""
        if self.reason or other.reason:
            return False
        own, others = ([_order(class_named(name)) for name in each.rivals or (each.best,)] for each in (self, other))
        return min(own) > max(others)

    def time_s(self, size: float) -> float:
        """The fitted CPU time for a size."""
        return self.a_s + self.b_s * class_named(self.best).f(size)


UNCLEAR = "unclear"
_WITHOUT_LOG = {"n log n": "n", "n² log n": "n²"}


def class_named(name: str) -> GrowthClass:
    """The class of a fit; `1.60ⁿ` is one of the exponential ones."""
    known = {each.name: each for each in CLASSES}
    return known[name] if name in known else _exponential(float(name.removesuffix("ⁿ")))


def fit_growth(points: Points) -> Fit | None:
    """Fit (size, CPU seconds) pairs.

    Args:
        points: in any order; those without a positive size and time are left out.

    Returns:
        The fit; None with fewer than two sizes.
    """
    kept = sorted((float(size), time_s) for size, time_s in points if size > 0 and time_s > 0)
    if len({size for size, _ in kept}) < 2:
        return None
    ranked = sorted(_candidates(kept), key=lambda scored: scored[0])
    close = [each for other, each in ranked if other - ranked[0][0] < TELLING / len(kept)]
    if CLASSES[0] in close and _is_flat(kept, ranked[0][1]):
        close = [CLASSES[0]]
    best = close[0]
    if best.name in _WITHOUT_LOG and (plain := class_named(_WITHOUT_LOG[best.name])) not in close:
        measured = empirical_exponent(kept)
        if abs(_exponent_of(plain, kept) - measured) < abs(_exponent_of(best, kept) - measured):
            close.append(plain)  # the slope among the larger sizes speaks for it
    close += [each for each in _steeper_at_the_end(best, kept) if each not in close]
    a_s, b_s = _coefficients(kept, best.f)
    error = math.sqrt(sum(((a_s + b_s * best.f(n)) / t - 1) ** 2 for n, t in kept) / len(kept))
    spread = kept[-1][0] / kept[0][0]
    needed = SMALLEST_RANGE_EXPONENTIAL if best.parameters > 2 else SMALLEST_RANGE
    reason, rivals = "", tuple[str, ...]()
    if len(kept) < FEWEST_SIZES:
        reason = f"{len(kept)} sizes are too few"
    elif spread < needed:
        reason = f"the largest size is only {spread:.1f} times the smallest"
    else:
        rivals = tuple(each.name for each in sorted(close, key=_order)) if len(close) > 1 else ()
    name = UNCLEAR if reason or rivals else best.name
    return Fit(name, a_s, b_s, empirical_exponent(kept), error, best.name, rivals, reason)


def empirical_exponent(points: Points) -> float:
    """The slope of log time over log size, by least squares over the upper half of the sizes, at least three."""
    return _slope(sorted(points)[-max(len(points) // 2 + 1, 3) :])


def _slope(points: Points) -> float:
    """The slope of log time over log size, by least squares."""
    logs = [(math.log(size), math.log(time_s)) for size, time_s in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread if spread else 0.0


def _exponent_of(growth: GrowthClass, points: Points) -> float:
    """The slope that a class has at the same sizes, once it is fitted to them."""
    a_s, b_s = _coefficients(points, growth.f)
    return empirical_exponent([(size, a_s + b_s * growth.f(size)) for size, _ in points])


def _steeper_at_the_end(best: GrowthClass, points: Points) -> list[GrowthClass]:
    """The class that explains how the times rise towards the largest size, where the one that fits best does not.

    Where a term of a higher order has only begun to show, the smaller sizes speak for a class that the times leave.
    """
    end = max(len(points) - 3, 0)
    while end > 0 and points[-1][0] < LAST_RANGE * points[end][0]:
        end -= 1
    measured = _slope(points[end:])

    def slope_of(growth: GrowthClass) -> float:
        a_s, b_s = _coefficients(points, growth.f)
        return _slope([(size, a_s + b_s * growth.f(size)) for size, _ in points[end:]])

    if best not in CLASSES or measured <= slope_of(best) + STEEPER:
        return []
    steeper = CLASSES[CLASSES.index(best) + 1 :]
    return [next((each for each in steeper if slope_of(each) >= measured), steeper[-1])] if steeper else []


def _is_flat(points: Points, growth: GrowthClass) -> bool:
    """Whether the fitted time hardly grows: every class can do that, and the simplest says it."""
    a, b = _coefficients(points, growth.f)
    return a + b * growth.f(points[-1][0]) <= FLAT * (a + b * growth.f(points[0][0]))


def _candidates(points: Points) -> list[tuple[float, GrowthClass]]:
    """Each class with its criterion; of the exponential ones only the best."""
    scored = [(_criterion(points, each), each) for each in CLASSES]
    bases = [_exponential(base) for base in BASES if points[-1][0] * math.log2(base) < LARGEST_EXPONENT]
    if bases:
        scored.append(min(((_criterion(points, each), each) for each in bases), key=lambda pair: pair[0]))
    return scored


def _exponential(base: float) -> GrowthClass:
    return GrowthClass(f"{base:g}ⁿ", lambda n: base**n, parameters=3)


def _criterion(points: Points, growth: GrowthClass) -> float:
    """The information criterion of the errors for each point, predicted from the others; small is good."""
    total = 0.0
    for left_out, (n, t) in enumerate(points):
        a, b = _coefficients([*points[:left_out], *points[left_out + 1 :]], growth.f)
        predicted = a + b * growth.f(n)
        total += min(abs(math.log(max(predicted, 1e-12) / t)), 10.0) ** 2
    count = len(points)
    return count * math.log(max(total / count, NOISE**2)) + growth.parameters * math.log(count)


def _coefficients(points: Points, f: Callable[[float], float]) -> tuple[float, float]:
    """`a` and `b`, neither negative, with the least sum of squares of (a + b·f(n)) / t - 1."""
    rows = [(1 / t, f(n) / t) for n, t in points]
    uu, uv, vv = sum(u * u for u, _ in rows), sum(u * v for u, v in rows), sum(v * v for _, v in rows)
    u1, v1 = sum(u for u, _ in rows), sum(v for _, v in rows)
    only_a, only_b = (u1 / uu, 0.0), (0.0, v1 / vv)
    determinant = uu * vv - uv * uv
    if determinant > 1e-12 * uu * vv:
        a, b = (u1 * vv - v1 * uv) / determinant, (v1 * uu - u1 * uv) / determinant
        if a >= 0 and b >= 0:
            return a, b

    def error(pair: tuple[float, float]) -> float:
        return sum((pair[0] * u + pair[1] * v - 1) ** 2 for u, v in rows)

    return min(only_a, only_b, key=error)


def _order(growth: GrowthClass) -> float:
    """By how fast they grow."""
    return math.log(growth.f(LARGEST_EXPONENT / 4))
