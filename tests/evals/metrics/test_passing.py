"""Pass@1 and pass@k."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.evals.errors import EvaluationError
from afterburner.evals.metrics.passing import chance_of_a_pass, pass_at_k_scores, pass_scores

if TYPE_CHECKING:
    from tests.evals.metrics.conftest import MakeEvaluation, MakeProblem


@pytest.mark.parametrize(
    ("generations", "passing", "k", "chance"),
    [
        (4, 1, 1, 1 / 4),
        (4, 1, 2, 1 / 2),  # of C(4,2) = 6 pairs, C(3,2) = 3 hold no pass
        (5, 2, 3, 9 / 10),  # of C(5,3) = 10 triples, C(3,3) = 1 holds none
        (4, 0, 4, 0.0),
        (4, 4, 1, 1.0),
        (200, 1, 100, 1 / 2),  # by symmetry; naive binomials would overflow floats
    ],
)
def test_the_chance_is_what_counting_by_hand_gives(generations: int, passing: int, k: int, chance: float) -> None:
    assert chance_of_a_pass(generations, passing, k) == pytest.approx(chance)


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=7), st.data())
def test_it_is_the_share_of_draws_with_a_pass(passes: list[bool], data: st.DataObject) -> None:
    """And so it is unbiased, lies between pass@1 and 1, and grows with k."""
    k = data.draw(st.integers(1, len(passes)))
    draws = list(itertools.combinations(passes, k))
    chance = chance_of_a_pass(len(passes), sum(passes), k)
    assert chance == pytest.approx(sum(map(any, draws)) / len(draws))
    assert sum(passes) / len(passes) - 1e-12 <= chance <= 1
    if k > 1:
        assert chance >= chance_of_a_pass(len(passes), sum(passes), k - 1)


@pytest.mark.parametrize(("generations", "passing", "k"), [(3, 1, 4), (3, 1, 0), (3, 4, 1), (3, -1, 1)])
def test_what_cannot_be_drawn_is_refused(generations: int, passing: int, k: int) -> None:
    with pytest.raises(EvaluationError):
        chance_of_a_pass(generations, passing, k)


def test_it_is_the_mean_over_all_problems_at_an_iteration(problem: MakeProblem, evaluation: MakeEvaluation) -> None:
    """Problems without references count too, and one whose search ended early keeps what it had."""
    run = evaluation(
        problem("a", [1.0], [[1.0], None], [[1.0], [2.0]]),
        problem("b", [], [None, None], [None, [3.0]]),
        problem("c", [1.0], [[1.0], [1.0]]),
    )
    assert pass_at_k_scores(run, 1, 0).mean == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert pass_at_k_scores(run, 1, 1).mean == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert pass_at_k_scores(run, 2, 0).mean == pytest.approx((1 + 0 + 1) / 3)
    assert pass_at_k_scores(run, 1, 1).mean == pass_scores(run, 1).mean
    assert pass_at_k_scores(run, 2, 1).by_problem.tolist() == [1, 1, 1]
    with pytest.raises(EvaluationError, match="at least 3 generations"):
        pass_at_k_scores(run, 3, 0)
    with pytest.raises(EvaluationError, match="no iteration -1"):
        pass_at_k_scores(run, 1, -1)
