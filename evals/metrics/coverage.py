"""How often intervals contain the truth, over many simulated evaluations whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from afterburner.agent.types import Objective
from afterburner.evals.metrics.intervals import LEVEL, RESAMPLES, Interval, expanded_percentiles
from afterburner.evals.metrics.paper_interval import paper_interval
from afterburner.evals.metrics.passing import pass_scores
from afterburner.evals.metrics.percentile import beyond_scores
from afterburner.evals.metrics.resampling import resampled
from afterburner.evals.metrics.simulation import Truth, simulate, truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.evals.evaluation import Evaluation
    from afterburner.evals.metrics.scores import Scores

METRICS: dict[str, Objective | None] = {
    "pass@1": None,
    "beyond-t": Objective.TIME,
    "beyond-m": Objective.MEMORY,
    "beyond-i": Objective.INTEGRAL,
}


@dataclass(frozen=True, slots=True)
class MetricCoverage:
    """Of one metric, over all repetitions.

    Attributes:
        truth: the expected score over the population.
        mean_estimate: the mean of the estimates; an unbiased metric has the truth here.
        ours: the share of our intervals that contain the truth.
        plain: likewise, of nested percentile intervals without our corrections.
        paper: likewise, of the paper's own.
        our_half_width: the mean of half the widths.
        paper_half_width: likewise.
    """

    truth: float
    mean_estimate: float
    ours: float
    plain: float
    paper: float
    our_half_width: float
    paper_half_width: float


def coverage(
    repetitions: int,
    problems: int,
    generations: int,
    runs: int,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    on_progress: Callable[[int], None] = lambda _: None,
) -> dict[str, MetricCoverage]:
    """Simulate evaluations and count how often the intervals at 95% contain the truth.

    Args:
        repetitions: how many evaluations are simulated.
        problems: of each evaluation.
        generations: of each problem.
        runs: of each generation.
        seed: of all chance.
        resamples: of each bootstrap.
        on_progress: told how many repetitions are done.
    """
    rng = np.random.default_rng(seed)
    found: dict[str, list[tuple[Interval, Interval, Interval]]] = {metric: [] for metric in METRICS}
    for repetition in range(repetitions):
        evaluation = simulate(rng, problems, generations, runs)
        for metric, intervals in found.items():
            values = scores_of(evaluation, metric).values
            drawn = resampled([values], [1.0], resamples, seed=repetition)
            ours = expanded_percentiles(drawn.corrected, drawn.estimate, problems, LEVEL)
            low, high = np.quantile(drawn.plain, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
            plain = Interval(drawn.estimate, float(low), float(high), problems)
            intervals.append((ours, plain, paper_interval(values, seed=repetition)))
        on_progress(repetition + 1)
    known = truth()
    return {metric: _summary(intervals, _true(known, metric)) for metric, intervals in found.items()}


def scores_of(evaluation: Evaluation, metric: str, iteration: int = 0) -> Scores:
    """The scores of one of `METRICS`."""
    objective = METRICS[metric]
    return pass_scores(evaluation, iteration) if objective is None else beyond_scores(evaluation, objective, iteration)


def _true(known: Truth, metric: str) -> float:
    objective = METRICS[metric]
    return known.pass_at_1 if objective is None else known.beyond[objective]


def _summary(intervals: list[tuple[Interval, Interval, Interval]], true: float) -> MetricCoverage:
    ours, plain, paper = zip(*intervals, strict=True)

    def share(of: tuple[Interval, ...]) -> float:
        return float(np.mean([each.low <= true <= each.high for each in of]))

    return MetricCoverage(
        true,
        float(np.mean([each.estimate for each in ours])),
        share(ours),
        share(plain),
        share(paper),
        float(np.mean([each.half_width for each in ours])),
        float(np.mean([each.half_width for each in paper])),
    )
