"""The interval that the Afterburner paper reports, to show what it misses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.intervals import LEVEL, SEED, Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES, RUNS = 128, 4


def paper_interval(values: NDArray[np.float64], *, level: float = LEVEL, seed: int = SEED) -> Interval:
    """The interval of the Afterburner paper (appendix G), which is far too narrow; for comparison only.

    The paper measured one solution of each problem 16 times. 128 times it drew 4 of these runs of each problem without
    replacement and averaged; its interval is Student's for the mean of the 128 averages, with a standard error of
    sd / sqrt(128). It resamples no problems and no generations, and more resamples make it as narrow as one likes.

    Args:
        values: P x G x R scores; as in the paper, the runs of the first generation are used.
        level: of confidence.
        seed: of the draws.
    """
    from scipy import stats  # noqa: PLC0415 - heavy

    rng = np.random.default_rng(seed)
    total, runs = np.zeros(RESAMPLES), values[:, 0]
    for scores in runs:
        known = scores[np.isfinite(scores)]
        shuffled = rng.permuted(np.tile(known, (RESAMPLES, 1)), axis=1)
        total += shuffled[:, :RUNS].mean(axis=1)
    averages = total / len(runs)
    estimate = float(averages.mean())
    error = float(averages.std(ddof=1)) / math.sqrt(RESAMPLES)
    margin = float(stats.t.ppf((1 + level) / 2, df=RESAMPLES - 1)) * error
    return Interval(estimate, estimate - margin, estimate + margin, len(runs), level)
