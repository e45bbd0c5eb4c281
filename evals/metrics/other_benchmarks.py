"""The metrics of Mercury, EffiBench and ENAMEL, as their authors compute them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from afterburner.evals.problems import Figures

HARDNESS = (3.0, 3.0, 4.0)  # of ENAMEL's levels 1 to 3; level 0 checks correctness only and has none
TIMEOUT_FACTOR = 2.0  # of ENAMEL: the time limit is so many times the slowest reference time
_KIB_PER_MIB = 1024


def mercury_beyond(
    runtime_s: float | None,
    human_runtimes_s: Sequence[float],
    *,
    clip_at_min: bool = True,
    most_gain_s: float = math.inf,
) -> float:
    """Mercury's Beyond of one solution: where its runtime lies between the slowest human's (0) and the fastest's (1).

    The rule of the harness is (max - clip(r, min, max)) / (max - min). The results that Mercury's authors stored were
    made by other rules: they do not clip at the fastest, so values above 1 occur; and those of the files `_eval_new`
    moreover bound max - r at 1 second, so that on problems with a human slower than that even the fastest solution
    scores 1 / (max - min).

    Args:
        runtime_s: of the solution; None: it fails, and scores 0.
        human_runtimes_s: of the known solutions, at least one.
        clip_at_min: as in the harness; False: as in the stored results.
        most_gain_s: the bound of max - r; 1.0: as in the stored results of `_eval_new`.

    Returns:
        The score. NaN: all known solutions took the same time, or there is a single one, so there is no scale, neither
        for code that passes nor for code that fails. Mercury's own evaluation ends there with a division by zero.
    """
    fastest, slowest = min(human_runtimes_s), max(human_runtimes_s)
    if fastest == slowest:
        return math.nan
    if runtime_s is None:
        return 0.0
    gain_s = slowest - (max(runtime_s, fastest) if clip_at_min else runtime_s)
    return min(max(gain_s, 0.0), most_gain_s) / (slowest - fastest)


@dataclass(frozen=True, slots=True)
class EffiBench:
    """EffiBench's table: absolute values are means over the tasks, normalised ones totals over totals.

    Attributes:
        tasks: how many passed and were measured, with a canonical solution that was measured, too.
        et_s: execution time.
        mu_mib: peak memory.
        tmu_mib_s: total memory usage, the integral of memory over time.
        net: total time / that of the canonical solutions; not a mean of ratios. Below 1 is better.
        nmu: likewise of peak memory.
        ntmu: likewise of total memory usage.
    """

    tasks: int
    et_s: float
    mu_mib: float
    tmu_mib_s: float
    net: float
    nmu: float
    ntmu: float


def effibench(measured: Mapping[str, Figures], canonical: Mapping[str, Figures]) -> EffiBench:
    """EffiBench's values of the passing solutions, by task.

    Raises:
        EvaluationError: no task was measured on both sides.
    """
    tasks = [name for name in measured if name in canonical]
    if not tasks:
        raise EvaluationError("No task has both a passing solution and a measured canonical one: nothing to normalise.")

    def sums(of: Mapping[str, Figures]) -> tuple[float, float, float]:
        figures = [of[name] for name in tasks]
        return (
            math.fsum(each.wall_time_s for each in figures),
            math.fsum(each.peak_memory_kib for each in figures),
            math.fsum(each.memory_integral_kib_s for each in figures),
        )

    (time_s, peak_kib, integral_kib_s), theirs = sums(measured), sums(canonical)
    return EffiBench(
        len(tasks),
        time_s / len(tasks),
        peak_kib / len(tasks) / _KIB_PER_MIB,
        integral_kib_s / len(tasks) / _KIB_PER_MIB,
        time_s / theirs[0],
        peak_kib / theirs[1],
        integral_kib_s / theirs[2],
    )


def hodges_lehmann(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """The median of the means of all pairs of repeats, each paired with itself as well, along the last axis.

    ENAMEL's estimate of a time from its repeats: as robust as a median, almost as precise as a mean.
    """
    first, second = np.tril_indices(times.shape[-1])
    middle: NDArray[np.float64] = np.median((times[..., first] + times[..., second]) / 2, axis=-1)
    return middle


def enamel_efficiency(
    times_s: Sequence[Sequence[float] | None],
    references_s: Sequence[Sequence[float]],
    *,
    hardness: Sequence[float] = HARDNESS,
    timeout_factor: float = TIMEOUT_FACTOR,
) -> float:
    """ENAMEL's efficiency of one solution (equations 3 and 4 of its paper): levels by the weight of their hardness.

    A level scores max(0, T - t) / (T - t_ref), t being the solution's slowest case and t_ref the reference's. T is
    `timeout_factor` times the reference's slowest case of all levels. The score passes 1 where the solution is faster
    than the reference. A level that runs out of time scores 0, as do all after it, which are not run.

    Args:
        times_s: for each level the time of each case, of repeats by `hodges_lehmann`; of T or more, it ran out of time.
            None: this level ran out of time or memory, or was not run.
        references_s: the same of the reference solution.
        hardness: the weight of each level; 0: it does not count.
        timeout_factor: see above.
    """
    limit_s = timeout_factor * max(max(cases) for cases, weight in zip(references_s, hardness, strict=True) if weight)
    score = 0.0
    for cases, reference, weight in zip(times_s, references_s, hardness, strict=True):
        if cases is None or max(cases) >= limit_s:
            break
        score += weight * max(0.0, limit_s - max(cases)) / (limit_s - max(reference))
    return score / sum(hardness)


def eff_at_k(efficiencies: Sequence[float], k: int) -> float:
    """ENAMEL's eff@k of one problem: the expected best efficiency of k generations drawn without replacement.

    The unbiased estimate from n generations, sorted: sum over r = k..n of C(r - 1, k - 1) / C(n, k) * e_(r) (equation 6
    of its paper). With efficiencies of 0 and 1 only it is pass@k.

    Args:
        efficiencies: of all generations, 0 for those that fail.
        k: how many are drawn.

    Raises:
        EvaluationError: there are fewer than k.
    """
    count = len(efficiencies)
    if not 0 < k <= count:
        raise EvaluationError(f"eff@{k} needs at least {max(k, 1)} generations of each problem; there are {count}.")
    ways = math.comb(count, k)
    return math.fsum(
        math.comb(rank - 1, k - 1) / ways * each for rank, each in enumerate(sorted(efficiencies), start=1) if rank >= k
    )
