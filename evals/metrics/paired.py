"""Two evaluations side by side, on the problems they have in common."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.errors import EvaluationError
from afterburner.evals.metrics.intervals import LEVEL, RESAMPLES, SEED, Interval, difference_interval
from afterburner.evals.metrics.scores import problem_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from afterburner.evals.metrics.scores import Scores

_FLIPS = 9999


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """How one evaluation differs from another.

    Attributes:
        problems: how many both have scored.
        only_before: problems that only the first has scored; they count nowhere here.
        only_after: likewise of the second.
        difference: after - before, the mean over the common problems.
        wilcoxon_p: of the two-sided signed-rank test on the problems' differences. 1 if none differs.
        permutation_p: of the two-sided test that exchanges the two scores of problems at random.
    """

    problems: int
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    difference: Interval
    wilcoxon_p: float
    permutation_p: float


@dataclass(frozen=True, slots=True)
class PassComparison:
    """McNemar's exact test on the problems both have.

    A problem counts as solved if more than half of its generations pass; with one generation, if it passes.
    """

    problems: int
    both: int
    only_before: int
    only_after: int
    neither: int
    p: float  # two-sided


def compare(
    before: Scores, after: Scores, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> PairedComparison:
    """Compare scores of one metric, problem by problem.

    Args:
        before: of the first evaluation.
        after: of the second.
        level: of the interval.
        resamples: of its bootstrap.
        seed: of all chance.

    Raises:
        EvaluationError: they have no problem in common.
    """
    old, new, only_before, only_after = _common(before, after)
    first, second = before.values[old], after.values[new]
    difference = difference_interval(second, first, level=level, resamples=resamples, seed=seed)
    by_problem = problem_means(second) - problem_means(first)
    return PairedComparison(
        len(old), only_before, only_after, difference, _wilcoxon(by_problem), _permutation(by_problem, seed)
    )


def compare_passes(before: Scores, after: Scores) -> PassComparison:
    """McNemar's exact test on the pass scores of two evaluations.

    Raises:
        EvaluationError: they have no problem in common.
    """
    from scipy import stats  # noqa: PLC0415 - heavy

    old, new, _, _ = _common(before, after)
    first, second = before.by_problem[old] > 0.5, after.by_problem[new] > 0.5
    lost, won = int((first & ~second).sum()), int((~first & second).sum())
    p = float(stats.binomtest(won, won + lost).pvalue) if won + lost else 1.0
    return PassComparison(len(old), int((first & second).sum()), lost, won, int((~first & ~second).sum()), p)


def _common(before: Scores, after: Scores) -> tuple[list[int], list[int], tuple[str, ...], tuple[str, ...]]:
    """The places of the common problems in both, and the ids that only one has."""
    places = {name: at for at, name in enumerate(after.ids)}
    common = [(at, places[name]) for at, name in enumerate(before.ids) if name in places]
    if not common:
        raise EvaluationError("The two evaluations have scored no problem in common. Compare runs of the same dataset.")
    shared = {before.ids[at] for at, _ in common}
    return (
        [at for at, _ in common],
        [at for _, at in common],
        tuple(name for name in before.ids if name not in shared),
        tuple(name for name in after.ids if name not in shared),
    )


def _wilcoxon(differences: NDArray[np.float64]) -> float:
    from scipy import stats  # noqa: PLC0415 - heavy

    rounded = np.round(differences, 12)  # means of the same scores in another order are no difference
    if not rounded.any():
        return 1.0
    with warnings.catch_warnings():  # few problems, or ties: scipy tells that its p-value is an approximation
        warnings.simplefilter("ignore")
        return float(stats.wilcoxon(rounded).pvalue)


def _permutation(differences: NDArray[np.float64], seed: int) -> float:
    """Exact if there are few problems; else from random exchanges, the observed one among them."""
    count = len(differences)
    exact = 2**count <= _FLIPS
    if exact:
        signs = 1 - 2 * (np.arange(2**count)[:, np.newaxis] >> np.arange(count) & 1)
    else:
        signs = 1 - 2 * np.random.default_rng(seed).integers(2, size=(_FLIPS, count), dtype=np.int8)
    sums = np.abs(signs @ differences)
    extreme = int((sums >= abs(differences.sum()) - 1e-9).sum())
    return extreme / len(signs) if exact else (extreme + 1) / (_FLIPS + 1)
