"""Bounds of rates against the definition, in exact arithmetic."""

from fractions import Fraction
from math import comb

import pytest

from afterburner.agent.selfcheck.exact import lower_bound, upper_bound


def at_most(hits: int, trials: int, rate: Fraction) -> Fraction:
    """P(X <= hits), exactly."""
    return sum(
        (comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(hits + 1)),
        start=Fraction(0),
    )


@pytest.mark.parametrize(("hits", "trials"), [(0, 1), (0, 300), (1, 300), (3, 55), (7, 8), (150, 300)])
@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_at_the_upper_bound_so_few_hits_are_just_as_likely_as_allowed(
    hits: int, trials: int, confidence: float
) -> None:
    bound = upper_bound(hits, trials, confidence)
    assert float(at_most(hits, trials, Fraction(bound))) == pytest.approx(1 - confidence, rel=1e-9)


def test_known_values() -> None:
    """The first two by the closed form; the third is a peer's rate (facts of others), as tables give it."""
    assert upper_bound(0, 300) == pytest.approx(1 - 0.05 ** (1 / 300))
    assert upper_bound(0, 299) < 0.01 < upper_bound(0, 298), "so many trials does it take to say: at most 1%"
    assert upper_bound(3, 55) == pytest.approx(0.1350, abs=5e-5)
    assert upper_bound(4, 4) == 1.0


def test_the_lower_bound_is_the_upper_one_of_the_misses() -> None:
    assert lower_bound(300, 300) == pytest.approx(0.05 ** (1 / 300))
    assert lower_bound(0, 10) == 0.0
    assert lower_bound(95, 100) == pytest.approx(1 - upper_bound(5, 100))
