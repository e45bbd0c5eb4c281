"""Classes of growth, told from times of known class."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.evidence.classes import CLASSES, UNCLEAR, Fit, class_named, fit_growth

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = [100 * 2**step for step in range(7)]
SMALL = [6, 8, 10, 12, 14, 16, 20]
KNOWN = [(each.name, each.f, SIZES) for each in CLASSES] + [("2ⁿ", lambda n: 2.0**n, SMALL)]
ids = [name for name, _, _ in KNOWN]


def fitted(f: Callable[[float], float], sizes: list[int], noise: float = 0.0, seed: int = 0) -> Fit:
    rng = random.Random(seed)
    fit = fit_growth([(n, (2e-7 + 1e-7 * f(n)) * math.exp(rng.gauss(0, noise))) for n in sizes])
    assert fit is not None
    return fit


@pytest.mark.parametrize(("name", "f", "sizes"), KNOWN, ids=ids)
def test_exact_times_of_a_class_are_told_exactly(name: str, f: Callable[[float], float], sizes: list[int]) -> None:
    fit = fitted(f, sizes)
    assert (fit.name, fit.rivals, fit.reason) == (name, (), "")
    assert fit.error < 1e-6
    assert fit.time_s(sizes[-1]) == pytest.approx(2e-7 + 1e-7 * f(sizes[-1]))


@pytest.mark.parametrize(("name", "f", "sizes"), KNOWN, ids=ids)
def test_noise_makes_it_unclear_rather_than_wrong(name: str, f: Callable[[float], float], sizes: list[int]) -> None:
    fits = [fitted(f, sizes, 0.04, seed) for seed in range(60)]
    near = {name, "1.9ⁿ", "2.1ⁿ"} if name == "2ⁿ" else {name}
    wrong = [fit.name for fit in fits if fit.name != UNCLEAR and fit.name not in near]
    assert len(wrong) <= (12 if name == "log n" else 3), wrong  # a logarithm under a constant hardly grows
    assert sum(fit.best in near for fit in fits) >= 40


def test_the_exponent_is_that_of_the_larger_sizes() -> None:
    assert fitted(lambda n: n**2, SIZES).exponent == pytest.approx(2, abs=0.01)
    assert fitted(lambda n: 1e6 + n**3, SIZES).exponent > 2


def test_what_cannot_be_told_apart_is_named_and_not_claimed() -> None:
    fit = fitted(lambda n: n * math.log2(n), [100, 200, 400, 800], 0.1, seed=3)
    assert fit.name == "unclear"
    assert fit.text == "n or n log n"


def test_the_slope_among_the_larger_sizes_speaks_for_the_class_without_a_logarithm() -> None:
    fit = fitted(lambda n: n * (math.log2(min(n, 1600)) + 1), SIZES)
    assert (fit.exponent, fit.best) == (pytest.approx(1.04, abs=0.01), "n log n")
    assert fit.text == "n or n log n"


def test_times_that_leave_their_class_towards_the_largest_size_are_not_told_as_of_that_class() -> None:
    """Where a quadratic part has begun to show, the smaller sizes alone speak for `n log n`."""
    sizes = [152, 304, 698, 1786, 3962, 8314, 17018, 39646]
    assert fitted(lambda n: 300 + n + 3 * n**2 / sizes[-1], sizes).text == "n log n or n²"
    assert fitted(lambda n: 300 + n, sizes, 0.04).text == "n"


@pytest.mark.parametrize(
    ("sizes", "reason"), [([10, 100, 1000], "3 sizes are too few"), ([10, 20, 30, 40], "only 4.0 times the smallest")]
)
def test_few_sizes_or_a_small_range_tell_nothing(sizes: list[int], reason: str) -> None:
    fit = fitted(lambda n: n**2, sizes)
    assert fit.name == UNCLEAR
    assert reason in fit.reason


def test_one_size_is_no_growth() -> None:
    assert fit_growth([(10, 1.0), (10, 1.1), (0, 1.0), (20, 0.0)]) is None


def test_the_base_of_an_exponential_is_fitted() -> None:
    fit = fitted(lambda n: 1.6**n, [2, 5, 10, 19, 24, 28])
    assert fit.name == "1.6ⁿ"
    assert class_named(fit.name).f(2) == pytest.approx(2.56)
