"""Absolute totals, gains on what passes on both sides, and where curves level off."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.agent.types import Objective
from afterburner.evals.errors import EvaluationError
from afterburner.evals.metrics.gains import gain_between_iterations, gain_between_runs, totals
from afterburner.evals.metrics.levels import levels_by_difficulty, levels_off_at

if TYPE_CHECKING:
    from tests.evals.metrics.conftest import MakeEvaluation, MakeProblem

TIME = Objective.TIME
POSITIVE = st.floats(1e-3, 1e3)


def test_totals_are_of_what_passes(problem: MakeProblem, evaluation: MakeEvaluation) -> None:
    run = evaluation(
        problem("a", [], [[1.0, 2.0, 9.0], None], [[1.0, 1.0, 1.0], [4.0, 4.0, 5.0]]),
        problem("b", [], [None, None], [None, [7.0]]),
    )
    first, second = totals(run, TIME)
    assert (first.iteration, first.passing, first.total, first.mean) == (0, 1, 2.0, 2.0)  # the median run
    assert (second.iteration, second.passing, second.total, second.mean) == (1, 3, 12.0, 4.0)
    (nothing,) = totals(evaluation(problem("c", [], [None])), TIME)
    assert (nothing.passing, nothing.total) == (0, 0)
    assert math.isnan(nothing.mean)


def test_the_gain_between_iterations_pairs_generations(problem: MakeProblem, evaluation: MakeEvaluation) -> None:
    run = evaluation(
        # Both generations pass at both: means 5 -> 1.5, ratios 1/2 and 1/4: geometric mean 1/sqrt(8).
        problem("a", [], [[2.0], [8.0]], [[1.0], [2.0]], [[1.0], [2.0]]),
        # The second passes at iteration 1 only, so it does not count: 10 -> 5.
        problem("b", [], [[10.0], None], [[5.0], [1.0]], [[5.0], [1.0]]),
        problem("never", [], [None, [3.0]], [[1.0], None], [[1.0], None]),
    )
    gain = gain_between_iterations(run, TIME, 0, 1)
    assert (gain.problems, gain.solutions, gain.before_total, gain.after_total) == (2, 3, 15.0, 6.5)
    assert gain.ratio_of_totals.estimate == pytest.approx(6.5 / 15)
    assert gain.geometric_mean.estimate == pytest.approx(math.sqrt(1 / math.sqrt(8) * 1 / 2))
    assert gain.ratio_of_totals.low <= 6.5 / 15 <= gain.ratio_of_totals.high
    same = gain_between_iterations(run, TIME, 1, 2)
    assert same.geometric_mean.low == same.geometric_mean.estimate == same.geometric_mean.high == 1


def test_the_gain_between_runs_pairs_problems(problem: MakeProblem, evaluation: MakeEvaluation) -> None:
    before = evaluation(problem("a", [], [[2.0], [4.0], None]), problem("b", [], [[5.0]]), problem("x", [], [[1.0]]))
    after = evaluation(problem("b", [], [None]), problem("a", [], [[1.0]]), problem("y", [], [[1.0]]))
    gain = gain_between_runs((before, 0), (after, 0), TIME)
    assert (gain.problems, gain.solutions, gain.before_total, gain.after_total) == (1, 1, 3.0, 1.0)
    assert gain.geometric_mean.estimate == pytest.approx(1 / math.sqrt(8))
    assert (gain.geometric_mean.low, gain.geometric_mean.high) == (0, math.inf)
    with pytest.raises(EvaluationError, match="no problem in common"):
        gain_between_runs((before, 0), (evaluation(problem("z", [], [[1.0]])), 0), TIME)
    nothing = gain_between_runs((evaluation(problem("b", [], [None])), 0), (after, 0), TIME)
    assert nothing.problems == 0
    assert math.isnan(nothing.ratio_of_totals.estimate)
    assert math.isnan(nothing.geometric_mean.high)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=2, max_size=6), st.sampled_from([0.125, 16.0]))
def test_gains_know_no_unit_and_turn_round(
    problem: MakeProblem, evaluation: MakeEvaluation, pairs: list[tuple[float, float]], unit: float
) -> None:
    def gain(figures: list[tuple[float, float]]) -> tuple[float, float]:
        run = evaluation(*[problem(str(at), [], [[old]], [[new]]) for at, (old, new) in enumerate(figures)])
        found = gain_between_iterations(run, TIME, 0, 1)
        assert found.geometric_mean.low <= found.geometric_mean.estimate <= found.geometric_mean.high
        ratios = [new / old for old, new in figures]
        assert min(ratios) * (1 - 1e-9) <= found.ratio_of_totals.estimate <= max(ratios) * (1 + 1e-9)
        return found.ratio_of_totals.estimate, found.geometric_mean.estimate

    there, back = gain(pairs), gain([(new, old) for old, new in pairs])
    assert np.multiply(there, back) == pytest.approx([1, 1])
    assert gain([(old * unit, new * unit) for old, new in pairs]) == pytest.approx(there)


@pytest.mark.parametrize(
    ("curve", "iteration"),
    [
        # The rebuttal's Beyond-T: 95% of 45.17 is 42.91, which 43.49 at iteration 6 is the first to pass.
        ([31.22, 36.69, 38.41, 39.64, 40.83, 42.35, 43.49, 44.3, 44.82, 45.17, 45.17], 6),
        ([50.0, 50.0, 50.0], 0),
        ([0.0, 0.0, 0.0], 0),
        ([1.0, 0.5, 1.0], 2),  # it left the band again
        ([0.0, 0.95, 1.0], 2),  # exactly 5% is not less than 5%
        ([3.0], 0),
    ],
)
def test_a_curve_levels_off_where_it_stays_within_5_percent_of_its_end(curve: list[float], iteration: int) -> None:
    assert levels_off_at(curve, 0.05) == iteration


@settings(deadline=None)
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12), st.floats(0.01, 0.5))
def test_after_that_the_curve_stays(curve: list[float], gap: float) -> None:
    at = levels_off_at(curve, gap)
    assert all(abs(value - curve[-1]) < gap * curve[-1] or value == curve[-1] for value in curve[at:])
    assert levels_off_at(curve, gap * 2) <= at <= len(curve) - 1


def test_levels_are_told_by_difficulty(problem: MakeProblem, evaluation: MakeEvaluation) -> None:
    run = evaluation(
        problem("a", [1.0, 2.0], [[3.0]], [[1.0]], [[1.0]], difficulty="easy"),
        problem("b", [1.0, 2.0], [[3.0]], [[2.0]], [[1.0]], difficulty="hard"),
        problem("c", [], [[3.0]], [[2.0]], [[1.0]], difficulty="nothing known"),
    )
    assert levels_by_difficulty(run, TIME) == {"easy": 1, "hard": 2}
