"""The draws of a two-level bootstrap: problems, then generations and runs within each, all with replacement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.scores import problem_means

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_CELLS = 500_000  # drawn at once: what the caches of a core hold


@dataclass(frozen=True, slots=True)
class Resampled:
    """Resamples of a mean over problems.

    Attributes:
        estimate: the mean itself.
        plain: for each resample the mean, drawn on both levels.
        of_problems: for each resample the mean of the same drawn problems with their runs as they are.
        kept: the share of the problems' deviations from the mean that `corrected` keeps.
    """

    estimate: float
    plain: NDArray[np.float64]
    of_problems: NDArray[np.float64]
    kept: float

    @property
    def corrected(self) -> NDArray[np.float64]:
        """The resamples with the variance of the problems' means, instead of that and the runs' once more.

        The spread of the problems' means already contains the spread of their runs, so `plain` counts the latter twice.
        Here each problem's mean is pulled towards the mean of all by a factor that makes up for it. (Carpenter,
        Goldstein and Rasbash, 2003, rescale the levels of a multilevel bootstrap for the same reason.)
        """
        return self.plain - (1 - self.kept) * (self.of_problems - self.estimate)


def resampled(parts: Sequence[NDArray[np.float64]], signs: Sequence[float], resamples: int, seed: int) -> Resampled:
    """Draw resamples of the mean over problems of a signed sum of scores; all parts share the drawn problems.

    Args:
        parts: each P x G x R, of the same problems in the same order.
        signs: 1 or -1 for each part.
        resamples: how many are drawn.
        seed: of the draws.
    """
    count = len(parts[0])
    means = np.zeros(count)
    for part, sign in zip(parts, signs, strict=True):
        means += sign * problem_means(part)
    rng = np.random.default_rng(seed)
    blocks = [_Block.of(part) for part in parts]
    plain, of_problems = [], []
    for size in _sizes(resamples, sum(part.size for part in parts)):
        drawn = rng.integers(count, size=(size, count), dtype=np.int32)
        of_problems.append(means[drawn].mean(axis=1))
        total = np.zeros(size)
        for block, sign in zip(blocks, signs, strict=True):
            total += sign * block.resampled(drawn, rng)
        plain.append(total)
    within, between = sum(float(_within_variance(part).mean()) for part in parts), float(means.var())
    kept = math.sqrt(max(0.0, 1 - within / between)) if between > 0 else 1.0
    return Resampled(float(means.mean()), np.concatenate(plain), np.concatenate(of_problems), kept)


def _within_variance(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each problem, the variance of its mean if its generations and their runs are resampled."""
    runs = np.isfinite(values)
    counts = runs.sum(axis=-1)
    of_runs = np.where(runs, values, 0.0).sum(axis=-1) / np.maximum(counts, 1)
    squares = np.where(runs, values - of_runs[..., np.newaxis], 0.0) ** 2
    variance_of_runs = squares.sum(axis=-1) / np.maximum(counts, 1) ** 2
    known = counts > 0
    generations = known.sum(axis=-1)
    centred = np.where(known, of_runs - problem_means(values)[:, np.newaxis], 0.0)
    spread = (centred**2).sum(axis=-1) + np.where(known, variance_of_runs, 0.0).sum(axis=-1)
    variance: NDArray[np.float64] = spread / generations**2
    return variance


@dataclass(frozen=True, slots=True)
class _Block:
    """Scores laid out for drawing: flat values, and how many generations and runs there are of each."""

    flat: NDArray[np.float64]
    generations: NDArray[np.int32]  # of each of P problems
    runs: NDArray[np.int32]  # of each of P * G generations; 0: there is no such generation
    shape: tuple[int, int]  # G, R
    constant: bool  # all runs of a generation score the same: nothing to draw there

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> _Block:
        counts = np.isfinite(values).sum(axis=-1, dtype=np.int32)
        same = np.isnan(values) | (values == values[..., :1])
        generations = (counts > 0).sum(axis=-1, dtype=np.int32)
        return cls(values.ravel(), generations, counts.ravel(), (values.shape[1], values.shape[2]), bool(same.all()))

    def resampled(self, drawn: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.float64]:
        """One mean over problems for each row of `drawn`, the numbers of the problems that were drawn."""
        per_problem, per_generation = self.shape
        picked, counted = _picks(self.generations[drawn], per_problem, rng)
        cells = drawn[..., np.newaxis] * np.int32(per_problem) + picked
        if self.constant:
            scores = self.flat[cells * per_generation]
        else:
            picked, runs = _picks(self.runs[cells], per_generation, rng)
            scores = _mean(self.flat[(cells * np.int32(per_generation))[..., np.newaxis] + picked], runs)
        return np.asarray(_mean(scores, counted).mean(axis=1))


def _picks(
    available: NDArray[np.int32], most: int, rng: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.bool_] | None]:
    """As many draws with replacement as there are to draw from, along a new last axis of `most` places.

    Returns:
        The draws, and which of the places count; None: all of them.
    """
    size = (*available.shape, most)
    if available.min() == most:
        return rng.integers(most, size=size, dtype=np.int32), None
    of = available[..., np.newaxis]
    picked = np.minimum((rng.random(size) * of).astype(np.int32), of - 1)
    return picked, np.arange(most) < of


def _mean(values: NDArray[np.float64], counted: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    """Along the last axis, of those that count."""
    if counted is None:
        return np.asarray(values.mean(axis=-1))
    return np.asarray(np.where(counted, values, 0.0).sum(axis=-1) / counted.sum(axis=-1))


def _sizes(resamples: int, cells: int) -> Iterator[int]:
    """The resamples in portions, each of a bounded number of draws."""
    portion = max(1, _CELLS // max(cells, 1))
    for done in range(0, resamples, portion):
        yield min(portion, resamples - done)
