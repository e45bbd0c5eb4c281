"""The metrics of Mercury, EffiBench and ENAMEL, against their own numbers and figures by hand."""

from __future__ import annotations

import gzip
import itertools
import json
import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afterburner.evals.errors import EvaluationError
from afterburner.evals.metrics.other_benchmarks import (
    eff_at_k,
    effibench,
    enamel_efficiency,
    hodges_lehmann,
    mercury_beyond,
)
from afterburner.evals.metrics.passing import chance_of_a_pass
from afterburner.evals.problems import Figures

if TYPE_CHECKING:
    from pathlib import Path

SECONDS = st.floats(1e-4, 1e3)
EFFICIENCIES = st.lists(st.floats(0.0, 1.5), min_size=1, max_size=7)


@pytest.mark.parametrize(
    ("runtime_s", "score"), [(1.0, 1.0), (3.0, 0.0), (1.5, 0.75), (0.5, 1.0), (9.0, 0.0), (None, 0.0)]
)
def test_mercurys_beyond_is_the_place_between_the_slowest_and_the_fastest(
    runtime_s: float | None, score: float
) -> None:
    assert mercury_beyond(runtime_s, [2.0, 1.0, 3.0]) == score


def test_mercurys_beyond_as_its_stored_results_have_it() -> None:
    assert mercury_beyond(0.5, [2.0, 1.0, 3.0], clip_at_min=False) == 1.25
    assert mercury_beyond(0.5, [2.0, 1.0, 3.0], clip_at_min=False, most_gain_s=1.0) == 0.5
    assert mercury_beyond(9.0, [2.0, 1.0, 3.0], clip_at_min=False) == 0


@pytest.mark.parametrize("humans", [[2.0], [2.0, 2.0]])
def test_mercurys_beyond_of_known_solutions_without_a_range_is_no_number(humans: list[float]) -> None:
    """A score of 0 would say that code which passes is as bad as code which fails."""
    assert math.isnan(mercury_beyond(1.0, humans))
    assert math.isnan(mercury_beyond(None, humans))


@settings(deadline=None)
@given(SECONDS, SECONDS, st.lists(SECONDS, min_size=2, max_size=9, unique=True), st.sampled_from([0.25, 1024.0]))
def test_mercurys_beyond_is_a_share_that_falls_with_the_runtime(
    first: float, second: float, humans: list[float], unit: float
) -> None:
    score = mercury_beyond(first, humans)
    assert 0 <= score <= 1
    assert (first <= second) <= (score >= mercury_beyond(second, humans))
    assert mercury_beyond(first * unit, [each * unit for each in humans[::-1]]) == pytest.approx(score)
    assert mercury_beyond(first, humans, clip_at_min=False) >= score


def test_every_stored_number_of_mercury_is_recomputed(shared_data: Path) -> None:
    """All 4,056 of them, those among them that the formula alone does not explain.

    64 rows, all of files named `_eval_new`, are marked as not matching (max - r) / (max - min). In these files they are
    those, and only those, where max - r is more than a second: the files hold min(max - r, 1) / (max - min). The file
    of GPT-4, `_eval`, has 8 rows over a second as well, without that bound.
    """
    with gzip.open(shared_data / "mercury" / "beyond_golden.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    counted: Counter[str] = Counter()
    for row in rows:
        runtime_s = row["runtime"] if row["result"] == "passed" else None
        humans = row["human_runtimes"]
        bound_s = 1.0 if row["model"].endswith("_eval_new") else math.inf
        stored = mercury_beyond(runtime_s, humans, clip_at_min=False, most_gain_s=bound_s)
        assert stored == pytest.approx(row["beyond_p"], abs=1e-12), (row["model"], row["slug"], row["i"])
        unbounded = mercury_beyond(runtime_s, humans, clip_at_min=False)
        matches = unbounded == pytest.approx(row["beyond_p"], abs=1e-12)
        assert matches == row["unclipped_formula_matches"]
        counted["rows"] += 1
        counted["other than the formula"] += not matches
        counted["over a second"] += runtime_s is not None and max(humans) - runtime_s > 1
        counted["above 1"] += row["beyond_p"] > 1
    assert counted == {"rows": 4056, "other than the formula": 64, "over a second": 72, "above 1": 164}


def figures(time_s: float, peak_kib: float, integral: float) -> Figures:
    return Figures(time_s, time_s, peak_kib, integral)


def test_effibench_divides_totals_over_common_tasks() -> None:
    measured = {"a": figures(1.0, 2048.0, 1024.0), "b": figures(5.0, 4096.0, 5120.0), "x": figures(99.0, 9.0, 9.0)}
    canonical = {"b": figures(1.0, 4096.0, 1024.0), "a": figures(2.0, 1024.0, 1024.0), "y": figures(50.0, 5.0, 5.0)}
    found = effibench(measured, canonical)
    assert (found.tasks, found.et_s, found.mu_mib, found.tmu_mib_s) == (2, 3.0, 3.0, 3.0)
    # (1 + 5) / (2 + 1); the mean of the ratios 1/2 and 5 would be 2.75.
    assert (found.net, found.nmu, found.ntmu) == (2.0, 6 / 5, 3.0)
    with pytest.raises(EvaluationError, match="nothing to normalise"):
        effibench({"x": figures(1, 1, 1)}, canonical)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(SECONDS, SECONDS), min_size=1))
def test_effibench_lies_between_the_extreme_ratios(pairs: dict[str, tuple[float, float]]) -> None:
    ours = {name: figures(pair[0], pair[0], pair[0]) for name, pair in pairs.items()}
    theirs = {name: figures(pair[1], pair[1], pair[1]) for name, pair in pairs.items()}
    found = effibench(ours, theirs)
    ratios = [one / other for one, other in pairs.values()]
    assert min(ratios) * (1 - 1e-9) <= found.net <= max(ratios) * (1 + 1e-9)
    assert found.net == found.nmu == found.ntmu
    assert effibench(ours, ours).net == 1
    assert effibench(theirs, ours).net == pytest.approx(1 / found.net)


def test_hodges_lehmann_by_hand() -> None:
    # Means of pairs of 1, 2, 9: 1, 2, 9 with themselves; 1.5, 5, 5.5. Sorted 1, 1.5, 2, 5, 5.5, 9: the median is 3.5.
    assert hodges_lehmann(np.array([9.0, 1.0, 2.0])) == 3.5
    assert hodges_lehmann(np.array([[1.0, 3.0], [4.0, 4.0]])).tolist() == [2, 4]


@settings(deadline=None)
@given(st.lists(SECONDS, min_size=1, max_size=8), st.floats(-5, 5))
def test_hodges_lehmann_is_a_location(times: list[float], shift: float) -> None:
    found = float(hodges_lehmann(np.array(times)))
    assert min(times) <= found <= max(times)
    assert float(hodges_lehmann(np.array(times[::-1]))) == found
    assert float(hodges_lehmann(np.array(times) + shift)) == pytest.approx(found + shift)


def test_enamels_efficiency_by_hand() -> None:
    references = [[1.0, 2.0], [4.0, 3.0], [5.0, 5.0]]  # T = 2 * 5 = 10
    # Level 1: (10 - 6) / (10 - 2) = 1/2; level 2: (10 - 4) / (10 - 4) = 1; level 3: (10 - 9) / (10 - 5) = 1/5.
    assert enamel_efficiency([[6.0, 1.0], [2.0, 4.0], [9.0, 8.0]], references) == pytest.approx(
        (3 * 1 / 2 + 3 * 1 + 4 * 1 / 5) / 10
    )
    assert enamel_efficiency(references, references) == pytest.approx(1)
    assert enamel_efficiency([[6.0], None, [1.0]], references) == pytest.approx(0.15)  # nothing counts after a timeout
    assert enamel_efficiency([[11.0], [4.0], [5.0]], references) == 0  # T is the limit that ENAMEL runs it under
    assert enamel_efficiency([[2.0], [4.0, 10.0], [5.0]], references) == pytest.approx(0.3)
    assert enamel_efficiency([[1.0], [4.0], [5.0]], references) == pytest.approx((3 * 9 / 8 + 3 + 4) / 10)  # above 1
    # Level 0 checks correctness only; it has no say in the time limit either.
    assert enamel_efficiency([[1.0], *references], [[50.0], *references], hardness=(0, 3, 3, 4)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("efficiencies", "k", "best"),
    [
        ([0.2, 0.8, 0.5], 1, 0.5),
        ([0.2, 0.8, 0.5], 2, (0.5 + 0.8 + 0.8) / 3),
        ([0.2, 0.8, 0.5], 3, 0.8),
    ],
)
def test_eff_at_k_is_the_mean_best_of_k(efficiencies: list[float], k: int, best: float) -> None:
    assert eff_at_k(efficiencies, k) == pytest.approx(best)


@settings(deadline=None)
@given(EFFICIENCIES, st.data())
def test_eff_at_k_is_unbiased_grows_and_contains_pass_at_k(efficiencies: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(efficiencies)))
    found = eff_at_k(efficiencies, k)
    draws = [max(each) for each in itertools.combinations(efficiencies, k)]
    assert found == pytest.approx(sum(draws) / len(draws))
    assert eff_at_k(efficiencies, 1) - 1e-9 <= found <= max(efficiencies) + 1e-9
    passes = [float(each > 0.5) for each in efficiencies]
    assert eff_at_k(passes, k) == pytest.approx(chance_of_a_pass(len(passes), int(sum(passes)), k))
    with pytest.raises(EvaluationError, match="eff@"):
        eff_at_k(efficiencies, len(efficiencies) + 1)
