"""Intervals from the two-level bootstrap: what holds of each, and how often they contain a known truth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.agent.types import Objective
from afterburner.evals.metrics.coverage import METRICS, coverage, scores_of
from afterburner.evals.metrics.intervals import (
    bootstrap_interval,
    difference_interval,
    mean_interval,
    ratio_interval,
)
from afterburner.evals.metrics.paper_interval import paper_interval
from afterburner.evals.metrics.resampling import resampled
from afterburner.evals.metrics.scores import problem_means
from afterburner.evals.metrics.simulation import simulate, truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]


@st.composite
def scores(draw: st.DrawFn) -> Values:
    """P x G x R from 0 to 1, with NaN at the ends where a problem has fewer generations or a generation fewer runs."""
    problems, generations, runs = (draw(st.integers(1, most)) for most in (5, 3, 3))
    values = np.full((problems, generations, runs), math.nan)
    for problem in values:
        for generation in problem[: draw(st.integers(1, generations))]:
            measured = draw(st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=1, max_size=runs))
            generation[: len(measured)] = measured
    return values


@settings(max_examples=40, deadline=None)
@given(scores(), st.integers(0, 99))
def test_an_interval_contains_its_estimate_and_repeats(values: Values, seed: int) -> None:
    found = bootstrap_interval(values, resamples=200, seed=seed)
    assert found.estimate == pytest.approx(problem_means(values).mean())
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found == bootstrap_interval(values, resamples=200, seed=seed)
    wider = bootstrap_interval(values, resamples=200, seed=seed, level=0.99)
    assert wider.low <= found.low
    assert wider.high >= found.high


@settings(max_examples=40, deadline=None)
@given(scores(), st.integers(0, 99))
def test_a_difference_contains_its_estimate_and_turns_round(values: Values, seed: int) -> None:
    other = values[::-1]
    found = difference_interval(values, other, resamples=200, seed=seed)
    assert -1 <= found.low <= found.estimate <= found.high <= 1
    assert found.estimate == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="cannot be paired"):
        difference_interval(values, values[1:])


def test_without_problems_or_with_one_nothing_is_claimed() -> None:
    nothing = bootstrap_interval(np.zeros((0, 2, 2)))
    assert math.isnan(nothing.estimate)
    assert math.isnan(nothing.half_width)
    one = np.full((1, 2, 2), 0.5)
    assert (bootstrap_interval(one).low, bootstrap_interval(one).high) == (0, 1)
    assert (difference_interval(one, one).low, difference_interval(one, one).high) == (-1, 1)
    assert mean_interval(np.array([0.3]), (-1.0, 1.0)).low == -1
    assert ratio_interval(np.array([2.0]), np.array([4.0])).estimate == 0.5
    assert math.isnan(ratio_interval(np.zeros(0), np.zeros(0)).high)


@pytest.mark.parametrize(("problems", "bound"), [(10, 0.3085), (43, 0.0822), (300, 0.0122)])
def test_a_sample_without_any_spread_still_has_an_interval(problems: int, bound: float) -> None:
    """Clopper and Pearson's bounds for 0 of n, from their table: 1 - 0.025^(1/n)."""
    none = bootstrap_interval(np.zeros((problems, 4, 2)))
    every = bootstrap_interval(np.ones((problems, 4, 2)))
    assert (none.estimate, none.low, none.high) == (0, 0, pytest.approx(bound, abs=1e-4))
    assert (every.estimate, every.low, every.high) == (1, pytest.approx(1 - bound, abs=1e-4), 1)


def test_a_difference_without_any_spread_still_has_an_interval() -> None:
    """Of 5 problems that both solve alike, up to 1 - 0.025^(1/5) = 52% of others may still differ, either way."""
    solved = np.array([1.0, 1.0, 0.0, 1.0, 0.0])[:, np.newaxis, np.newaxis]
    same = difference_interval(solved, solved)
    assert (same.estimate, same.low, same.high) == (
        0,
        pytest.approx(-0.5218, abs=1e-4),
        pytest.approx(0.5218, abs=1e-4),
    )
    every = difference_interval(np.ones((5, 1, 1)), np.zeros((5, 1, 1)))
    assert (every.estimate, every.low, every.high) == (1, pytest.approx(1 - 2 * 0.5218, abs=1e-4), 1)
    half = bootstrap_interval(np.full((5, 2, 3), 0.5))
    assert (half.estimate, half.half_width) == (0.5, pytest.approx(0.5218 / 2, abs=1e-4))


@pytest.mark.parametrize("within", [0.0, 0.05, 0.3])
def test_resamples_have_the_variance_of_the_problems_means(within: float) -> None:
    """However much generations and runs differ: the plain nested resamples count that spread twice."""
    rng = np.random.default_rng(5)
    values = (
        0.5 + rng.normal(0, 0.1, (40, 1, 1)) + rng.normal(0, within, (40, 4, 1)) + rng.normal(0, within, (40, 4, 8))
    )
    found = resampled([values], [1.0], resamples=10_000, seed=1)
    expected = problem_means(values).var() / 40
    assert found.corrected.var() == pytest.approx(expected, rel=0.08)
    assert found.plain.var() >= expected * 0.92
    if within == 0.3:
        assert found.plain.var() > expected * 1.4
    # Both halves of a sum share the drawn problems: the same scores on both sides differ by their runs alone.
    difference = resampled([values, values], [1.0, -1.0], resamples=10_000, seed=1)
    assert difference.estimate == 0
    assert difference.of_problems.var() < 1e-30


def test_missing_generations_and_runs_are_never_drawn() -> None:
    rng = np.random.default_rng(3)
    full = rng.random((30, 2, 3))
    padded = np.full((30, 4, 5), math.nan)
    padded[:, :2, :3] = full
    one, other = (resampled([each], [1.0], resamples=10_000, seed=2) for each in (full, padded))
    assert one.estimate == other.estimate
    assert one.kept == pytest.approx(other.kept)
    assert other.plain.mean() == pytest.approx(one.plain.mean(), abs=0.002)
    assert other.plain.var() == pytest.approx(one.plain.var(), rel=0.1)


def test_the_papers_interval_by_hand() -> None:
    """Two problems of 4 runs each: 4 of 4 without replacement is all of them, so nothing varies at all."""
    values = np.array([[[0.0, 1.0, 1.0, 0.0], [1.0] * 4], [[1.0, 1.0, 0.5, 1.0], [0.0] * 4]])
    found = paper_interval(values)
    assert (found.estimate, found.low, found.high) == (pytest.approx(0.6875), found.estimate, found.estimate)
    # 16 runs, half of them 1: the sd of a mean of 4 is sqrt(1/4/4 * 12/15) = 0.2236; t(127) = 1.979; 0.2236 * 1.979 /
    # sqrt(128) = 0.0391.
    coin = np.tile([0.0, 1.0], 8)[np.newaxis, np.newaxis]
    assert paper_interval(coin).half_width == pytest.approx(0.0391, rel=0.2)


def test_the_truth_of_the_simulation_is_what_many_problems_tend_to() -> None:
    many = simulate(np.random.default_rng(7), problems=6000, generations=1, runs=1)
    known = truth()
    found = {name: bootstrap_interval(scores_of(many, name).values, resamples=200, level=0.999) for name in METRICS}
    expected = {"pass@1": known.pass_at_1, "beyond-t": known.beyond[Objective.TIME]}
    expected |= {"beyond-m": known.beyond[Objective.MEMORY], "beyond-i": known.beyond[Objective.INTEGRAL]}
    for name, interval in found.items():
        assert interval.low <= expected[name] <= interval.high
        assert interval.half_width < 0.025


@pytest.mark.slow
def test_our_intervals_contain_the_truth_and_the_papers_do_not() -> None:
    """A small edition of `make bench-coverage`; 100 repetitions tell a share of 95% to within 4%."""
    for name, found in coverage(100, problems=30, generations=3, runs=8, seed=11, resamples=600).items():
        assert 0.9 <= found.ours <= 0.99, name
        assert found.paper < 0.2, name
        assert abs(found.mean_estimate - found.truth) < 0.02, name
        assert found.paper_half_width < found.our_half_width / 20, name


@pytest.mark.parametrize("others", [0, 1, 3])
def test_of_few_problems_of_which_one_does_not_differ_a_difference_of_zero_is_possible(others: int) -> None:
    before = np.zeros((2 + others, 1, 1))
    after = before + np.array([0.0, *[0.475] * (1 + others)])[:, np.newaxis, np.newaxis]
    found = difference_interval(after, before)
    assert found.low <= 0 < found.estimate < found.high
