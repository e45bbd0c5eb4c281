"""Two evaluations side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.evals.errors import EvaluationError
from afterburner.evals.metrics.intervals import bootstrap_interval
from afterburner.evals.metrics.paired import compare, compare_passes
from afterburner.evals.metrics.scores import stacked

if TYPE_CHECKING:
    from afterburner.evals.metrics.scores import Scores


def scores(by_problem: dict[str, list[float]]) -> Scores:
    """One run of each generation."""
    values = [np.array(each)[:, np.newaxis] for each in by_problem.values()]
    return stacked(tuple(by_problem), values, [each[:, 0] > 0 for each in values])


def test_only_common_problems_count_and_the_others_are_named() -> None:
    before = scores({"a": [0.0, 1.0], "b": [0.5], "x": [1.0]})
    after = scores({"y": [0.0], "b": [1.0], "a": [1.0]})
    found = compare(before, after)
    assert (found.problems, found.only_before, found.only_after) == (2, ("x",), ("y",))
    assert found.difference.estimate == 0.5
    with pytest.raises(EvaluationError, match="no problem in common"):
        compare(before, scores({"z": [1.0]}))


def test_p_values_by_hand() -> None:
    """Five problems, all better: of 2^5 signs, one is as extreme, and one is on the other side: 2/32."""
    before = scores({name: [0.1 * at] for at, name in enumerate("abcde")})
    after = scores({name: [0.1 * at + 0.01 * (at + 1)] for at, name in enumerate("abcde")})
    found = compare(before, after)
    assert found.wilcoxon_p == pytest.approx(2 / 32)
    assert found.permutation_p == pytest.approx(2 / 32)
    same = compare(before, before)
    assert (same.difference.estimate, same.wilcoxon_p, same.permutation_p) == (0, 1, 1)


def test_a_difference_on_the_same_problems_is_told_where_intervals_overlap() -> None:
    rng = np.random.default_rng(4)
    level = rng.uniform(0, 0.8, 60)
    names = [str(at) for at in range(60)]
    before = scores({name: [each] for name, each in zip(names, level, strict=True)})
    gained = level + rng.normal(0.05, 0.05, 60)
    after = scores({name: [each] for name, each in zip(names, np.clip(gained, 0, 1), strict=True)})
    found = compare(before, after)
    one, other = bootstrap_interval(before.values), bootstrap_interval(after.values)
    assert one.high > other.low
    assert found.difference.low > 0
    assert max(found.wilcoxon_p, found.permutation_p) < 0.001


PAIRS = st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0])] * 2), min_size=1, max_size=14)


@pytest.mark.nightly
@settings(max_examples=15, deadline=None)
@given(PAIRS)
def test_exchanged_sides_turn_the_difference_and_keep_the_p_values(pairs: list[tuple[float, float]]) -> None:
    before = scores({str(at): [pair[0]] for at, pair in enumerate(pairs)})
    after = scores({str(at): [pair[1]] for at, pair in enumerate(pairs)})
    there, back = compare(before, after, resamples=100), compare(after, before, resamples=100)
    assert there.difference.low <= there.difference.estimate <= there.difference.high
    assert there.difference.estimate == pytest.approx(-back.difference.estimate)
    assert there.wilcoxon_p == pytest.approx(back.wilcoxon_p)
    assert there.permutation_p == pytest.approx(back.permutation_p, abs=0.03)
    assert min(there.wilcoxon_p, there.permutation_p) >= 0
    assert max(there.wilcoxon_p, there.permutation_p) <= 1


def test_mcnemar_by_hand() -> None:
    """Won 5, lost 1: 2 * (C(6,0) + C(6,1)) / 2^6 = 14/64. A half of the generations is not more than half."""
    before = scores({**{f"won{at}": [0.0, 1.0] for at in range(5)}, "lost": [1.0], "both": [1.0], "neither": [0.0]})
    after = scores({**{f"won{at}": [1.0] for at in range(5)}, "lost": [0.0], "both": [1.0], "neither": [0.0]})
    found = compare_passes(before, after)
    assert (found.problems, found.both, found.only_before, found.only_after, found.neither) == (8, 1, 1, 5, 1)
    assert found.p == pytest.approx(14 / 64)
    assert compare_passes(before, before).p == 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_mcnemar_counts_every_problem_once(pairs: list[tuple[bool, bool]]) -> None:
    before, after = (scores({str(at): [float(pair[side])] for at, pair in enumerate(pairs)}) for side in (0, 1))
    found = compare_passes(before, after)
    assert found.both + found.only_before + found.only_after + found.neither == found.problems == len(pairs)
    lost, won = found.only_before, found.only_after
    tail = sum(math.comb(lost + won, each) for each in range(min(lost, won) + 1)) / 2 ** (lost + won)
    assert found.p == pytest.approx(min(1, 2 * tail))
