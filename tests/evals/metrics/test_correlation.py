"""Agreement of curves and of rankings."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.evals.metrics.correlation import kendall_tau, pearson, rank_agreement

# The rebuttal's two tables: the same run on public and on private tests.
PUBLIC_PASS = [47.33, 50.33, 52.00, 54.50, 57.00, 58.17, 59.34, 60.50, 61.18, 61.67, 61.67]
PRIVATE_PASS = [46.67, 51.00, 52.67, 54.00, 56.00, 58.33, 59.67, 61.00, 62.00, 62.00, 62.00]
PUBLIC_I = [18.24, 24.81, 29.44, 30.85, 33.56, 35.48, 37.09, 38.01, 38.62, 38.95, 38.95]
PRIVATE_I = [17.85, 23.24, 28.76, 29.95, 33.27, 35.10, 36.99, 37.62, 38.50, 38.50, 38.50]
FIGURES = st.lists(st.integers(0, 50).map(float), min_size=2, max_size=10)


def test_the_papers_own_correlations_are_recomputed() -> None:
    assert pearson(PUBLIC_PASS, PRIVATE_PASS) == pytest.approx(0.9939, abs=5e-4)
    assert pearson(PUBLIC_I, PRIVATE_I) == pytest.approx(0.9986, abs=5e-4)


def test_pearson_by_hand() -> None:
    # Deviations (-1, 0, 1) and (-1, 1, 0): 1 / (sqrt(2) * sqrt(2)).
    assert pearson([1, 2, 3], [1, 3, 2]) == pytest.approx(0.5)
    assert math.isnan(pearson([1, 1], [1, 2]))
    assert math.isnan(pearson([1], [2]))
    with pytest.raises(ValueError, match="2 points"):
        pearson([1, 2], [1])


def test_kendall_by_hand() -> None:
    # Of 6 pairs of (1 2 3 4) and (1 3 2 4) one is turned round: (5 - 1) / 6.
    assert kendall_tau([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(4 / 6)
    # Pairs of (1 1 2) and (1 2 3): one is tied on the left: tau-b = 2 / sqrt(2 * 3).
    assert kendall_tau([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / math.sqrt(6))
    assert math.isnan(kendall_tau([1.0], [1.0]))
    with pytest.raises(ValueError, match="ranked like"):
        kendall_tau([1, 2], [1])


@settings(deadline=None)
@given(FIGURES, st.data())
def test_correlations_are_symmetric_bounded_and_blind_to_units(first: list[float], data: st.DataObject) -> None:
    second = data.draw(st.lists(st.integers(0, 50).map(float), min_size=len(first), max_size=len(first)))
    for correlation in (pearson, kendall_tau):
        found = correlation(first, second)
        assert correlation(second, first) == pytest.approx(found, nan_ok=True)
        assert correlation([4 * each + 1 for each in first], second) == pytest.approx(found, nan_ok=True)
        assert correlation([-each for each in first], second) == pytest.approx(-found, nan_ok=True)
        assert math.isnan(found) or -1 - 1e-9 <= found <= 1 + 1e-9
        assert correlation(first, first) == pytest.approx(1) or len(set(first)) == 1


def test_pairs_that_are_close_in_the_first_ranking_may_be_left_out() -> None:
    """Of the three pairs, 1.0 and 1.1 are close; the other two are in the same order on both sides, or tied in one."""
    assert kendall_tau([1.0, 1.1, 2.0], [2.0, 1.0, 3.0], apart=1.5) == 1
    assert kendall_tau([1.0, 1.1, 2.0], [2.0, 1.0, 3.0], apart=1.05) == pytest.approx(1 / 3)
    assert kendall_tau([1.0, 1.1, 2.0], [2.0, 1.0, 2.0], apart=1.5) == pytest.approx(1 / 2)
    assert math.isnan(kendall_tau([1.0, 1.1, 1.2], [2.0, 1.0, 3.0], apart=1.5))
    found = rank_agreement([([1.0, 2.0], [3.0, 4.0]), ([1.0, 1.1], [4.0, 3.0])], apart=1.5)
    assert (found.mean.estimate, found.undefined) == (1, 1)


def test_agreement_over_problems_leaves_out_what_has_no_ranking() -> None:
    found = rank_agreement([([1, 2, 3], [1, 2, 3]), ([1, 2, 3, 4], [1, 3, 2, 4]), ([1, 1], [1, 2]), ([1, 2], [2, 1])])
    assert found.undefined == 1
    assert found.by_problem[:2] == (1, pytest.approx(4 / 6))
    assert found.mean.problems == 3
    assert found.mean.estimate == pytest.approx((1 + 4 / 6 - 1) / 3)
    assert -1 <= found.mean.low <= found.mean.estimate <= found.mean.high <= 1
    nothing = rank_agreement([([1], [1])])
    assert math.isnan(nothing.mean.estimate)
    assert nothing.undefined == 1
