"""The scores of a run at each iteration, with their intervals, on its public tests and on its private ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.evals.metrics.intervals import bootstrap_interval
from afterburner.evals.metrics.passing import pass_scores
from afterburner.evals.metrics.percentile import beyond_scores
from afterburner.evals.report.measures import BEYOND_T, MEASURES, Score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.evals.evaluation import Evaluation
    from afterburner.evals.metrics.intervals import Interval
    from afterburner.evals.metrics.scores import Scores
    from afterburner.evals.report.measures import Measure
    from afterburner.evals.report.runs import Run

PERCENT = 100.0


@dataclass(frozen=True, slots=True)
class SideScores:
    """On one side's tests.

    Attributes:
        evaluation: what was measured there.
        curves: for each measure the scores at the iterations 0 to N, in percent; NaN: no problem can be scored.
        unranked: problems that Beyond leaves out: they have no references, or a passing code has no figure.
    """

    evaluation: Evaluation
    curves: Mapping[Measure, tuple[Score, ...]]
    unranked: int


@dataclass(frozen=True, slots=True)
class RunScores:
    """A run with its scores: those that its tables show (`Run.scored`), and those of each side by itself."""

    run: Run
    main: SideScores
    public: SideScores
    private: SideScores | None

    def at(self, measure: Measure, iteration: int) -> Score | None:
        """The score at an iteration; None: the run did not go so far."""
        curve = self.main.curves[measure]
        return curve[iteration] if iteration < len(curve) else None


def scores_of(run: Run) -> RunScores:
    """Compute all scores of a run."""
    public, private = side_scores(run.public), None if run.private is None else side_scores(run.private)
    scored = run.scored
    main = next((side for side in (public, private) if side and side.evaluation is scored), None)
    return RunScores(run, main or side_scores(scored), public, private)


def side_scores(evaluation: Evaluation) -> SideScores:
    """Compute all scores of one side."""
    curves = {
        measure: tuple(score_of(raw_scores(evaluation, measure, at)) for at in range(evaluation.iterations + 1))
        for measure in MEASURES
    }
    last = raw_scores(evaluation, BEYOND_T, evaluation.iterations)
    return SideScores(evaluation, curves, len(last.without_references) + len(last.unmeasured))


def raw_scores(evaluation: Evaluation, measure: Measure, iteration: int) -> Scores:
    """The scores of every run of every generation, from 0 to 1."""
    objective = measure.objective
    return pass_scores(evaluation, iteration) if objective is None else beyond_scores(evaluation, objective, iteration)


def score_of(scores: Scores) -> Score:
    """The mean with its interval, in percent."""
    return percent(bootstrap_interval(scores.values))


def percent(interval: Interval) -> Score:
    """An interval of shares as one in percent."""
    return Score(interval.estimate * PERCENT, interval.low * PERCENT, interval.high * PERCENT)
