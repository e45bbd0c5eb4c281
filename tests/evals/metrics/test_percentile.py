"""Percentile ranks, Beyond, and the shares of outcomes that are made of them."""

from __future__ import annotations

import bisect
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.agent.types import Objective
from afterburner.evals.metrics.outcomes import outcomes
from afterburner.evals.metrics.percentile import beyond, beyond_scores, percentile_rank
from afterburner.evals.metrics.simulation import simulate

if TYPE_CHECKING:
    from tests.evals.metrics.conftest import MakeEvaluation, MakeProblem

FIGURES = st.one_of(st.integers(1, 6).map(float), st.floats(1e-6, 1e6))  # ties are frequent
REFERENCES = st.lists(FIGURES, min_size=1, max_size=12).map(sorted)


def rank(value: float, references: list[float]) -> float:
    return float(percentile_rank(np.array([value]), np.array(references))[0])


@pytest.mark.parametrize(
    ("value", "share"),
    [
        (0.5, 1.0),  # faster than all
        (1.0, 1.0),  # ties with the fastest: all four are >= 1
        (1.5, 3 / 4),
        (2.0, 3 / 4),  # 2, 2 and 4
        (4.0, 1 / 4),  # equal to the slowest still beats it
        (4.1, 0.0),
        (math.nan, 0.0),
    ],
)
def test_ties_count_as_beaten(value: float, share: float) -> None:
    assert rank(value, [1.0, 2.0, 2.0, 4.0]) == share


@settings(deadline=None)
@given(FIGURES, FIGURES, REFERENCES, st.sampled_from([2.0**-10, 0.5, 4.0, 1024.0]))
def test_a_rank_is_a_share_that_falls_with_the_figure(
    first: float, second: float, references: list[float], unit: float
) -> None:
    assert rank(first, references) == 1 - bisect.bisect_left(references, first) / len(references) or (
        rank(first, references) == pytest.approx(sum(each >= first for each in references) / len(references))
    )
    assert 0 <= rank(first, references) <= 1
    assert (first <= second) <= (rank(first, references) >= rank(second, references))
    assert rank(first * unit, [each * unit for each in references]) == rank(first, references)


def test_beyond_is_the_mean_over_problems_with_references(problem: MakeProblem, evaluation: MakeEvaluation) -> None:
    run = evaluation(
        # Generations: ranks 1 and 1/2 in two runs, then a failure: (3/4 + 0) / 2 = 3/8.
        problem("two", [1.0, 3.0], [[1.0, 2.0], None]),
        # A single run of each, the second run missing: 1/2 and 1: 3/4.
        problem("missing", [1.0, 3.0], [[2.0], [0.5]]),
        problem("failed", [1.0], [None, None]),
        problem("unknown", [], [[1.0], [1.0]]),
    )
    scores = beyond_scores(run, Objective.TIME, 0)
    assert scores.ids == ("two", "missing", "failed")
    assert scores.by_problem.tolist() == [3 / 8, 3 / 4, 0]
    assert scores.without_references == ("unknown",)
    assert beyond(run, Objective.TIME, 0) == pytest.approx((3 / 8 + 3 / 4) / 3)


def test_what_passes_without_a_figure_is_named_and_not_scored_0(
    problem: MakeProblem, evaluation: MakeEvaluation
) -> None:
    run = evaluation(problem("a", [1.0], [[math.nan], None]), problem("b", [1.0], [[1.0], None]))
    scores = beyond_scores(run, Objective.MEMORY, 0)
    assert (scores.ids, scores.unmeasured, scores.mean) == (("b",), ("a",), 0.5)
    assert math.isnan(beyond(evaluation(problem("u", [], [[1.0]])), Objective.TIME, 0))


@pytest.mark.parametrize("reference", [2.486, 2.0])
def test_the_text_of_a_reference_ties_with_it_in_every_run(
    problem: MakeProblem, evaluation: MakeEvaluation, reference: float
) -> None:
    """Its runs spread about the reference's median, and with stored figures the machine may differ as well."""
    runs = [[3.73, 2.486, 2.098]]
    new = problem("a", [reference], runs)
    same = replace(new, as_known=dict.fromkeys(Objective, np.array([[reference]])))
    assert beyond_scores(evaluation(new), Objective.TIME, 0).mean < 1
    assert beyond_scores(evaluation(same), Objective.TIME, 0).values.tolist() == [[[1, 1, 1]]]
    found = outcomes(evaluation(same), Objective.TIME, 0)
    assert (found.better, found.within, found.worse, found.failed) == (1, 0, 0, 0)


def test_the_text_of_a_reference_has_its_rank_and_a_failure_still_has_none(
    problem: MakeProblem, evaluation: MakeEvaluation
) -> None:
    """It is the second of three, also in the run that was faster than the first; a code that fails ranks 0."""
    known = problem("a", [1.0, 2.0, 3.0], [[0.9, 3.5], None])
    same = replace(known, as_known=dict.fromkeys(Objective, np.array([[2.0], [2.0]])))
    assert beyond_scores(evaluation(same), Objective.TIME, 0).by_problem.tolist() == [pytest.approx(1 / 3)]


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(list(Objective)), st.sampled_from([0.25, 8.0]))
def test_beyond_knows_no_order_and_no_unit(seed: int, objective: Objective, unit: float) -> None:
    """And it never passes Pass@1, of which it is a weighted form."""
    rng = np.random.default_rng(seed)
    run = simulate(rng, problems=5, generations=3, runs=4)
    changed = tuple(
        replace(
            each,
            references={objective: each.references[objective] * unit},
            passed=each.passed[order],
            figures={objective: rng.permuted(each.figures[objective][order], axis=2) * unit},
        )
        for each in run.problems[::-1]
        for order in [rng.permutation(3)]
    )
    found = beyond(run, objective, 0)
    assert beyond(replace(run, problems=changed), objective, 0) == pytest.approx(found)
    assert 0 <= found <= np.mean([each.passed.mean() for each in run.problems]) + 1e-12


def test_outcomes_by_hand(problem: MakeProblem, evaluation: MakeEvaluation) -> None:
    run = evaluation(
        # Runs: tie with the best (B), worse than all (W); the second generation fails.
        problem("a", [1.0, 3.0], [[1.0, 4.0], None]),
        # Equal to the worst is within (M); faster than all (B).
        problem("b", [1.0, 3.0], [[3.0, 3.0], [0.5, 0.5]]),
        problem("unknown", [], [[1.0, 1.0], None]),
    )
    found = outcomes(run, Objective.TIME, 0)
    assert (found.better, found.within, found.worse, found.failed) == (3 / 8, 2 / 8, 1 / 8, 2 / 8)
    assert (found.problems, found.left_out) == (2, ("unknown",))
    nothing = outcomes(evaluation(problem("unknown", [], [[1.0]])), Objective.TIME, 0)
    assert nothing.problems == 0
    assert math.isnan(nothing.failed)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(list(Objective)))
def test_outcomes_add_up_and_bound_beyond(seed: int, objective: Objective) -> None:
    run = simulate(np.random.default_rng(seed), problems=4, generations=2, runs=3)
    found = outcomes(run, objective, 0)
    assert found.better + found.within + found.worse + found.failed == pytest.approx(1)
    assert min(found.better, found.within, found.worse, found.failed) >= 0
    assert found.better - 1e-12 <= beyond(run, objective, 0) <= found.better + found.within + 1e-12
