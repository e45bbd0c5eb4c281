"""The tables of the miniature's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from afterburner.evals.metrics.intervals import LEVEL
from afterburner.evals.report.iterations import Line, iteration_table
from afterburner.evals.report.measures import BEYOND_I, Score
from afterburner.evals.report.run_scores import PERCENT, percent
from afterburner.evals.report.table import Cell, Table, text_cells
from afterburner.training.miniature.crossed import crossed_interval, crossed_percentiles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from afterburner.evals.report.measures import Measure
    from afterburner.training.miniature.arms import Experiment
    from afterburner.training.miniature.costs import GrpoCost
    from afterburner.training.miniature.outcome import LoopScores

_ROUNDING = 1e-9  # of sums of equal shares in another order; a gain by one known solution of one problem is far more
_LATE = 5  # the iteration from which a late gain counts; of a shorter loop, the middle one
_ALL, _LAST = "mean of all iterations", "last iteration"


def mean_of(values: NDArray[np.float64], bounds: tuple[float, float] = (-1.0, 1.0), level: float = LEVEL) -> Score:
    """The mean of S x P values with its interval, in percent; a single seed or problem has none."""
    if min(values.shape) < 2:
        return Score(PERCENT * float(values.mean()))
    return percent(crossed_interval(values, bounds, level=level))


def comparison_table(experiment: Experiment, scores: Mapping[str, LoopScores]) -> Table:
    """Differences in Beyond-I, paired by problem and seed."""
    rows = []
    for each in experiment.comparisons:
        after, before = (_parts(scores[label]) for label in (each.after, each.before))
        for what, values in after.items():
            difference = values - before[what]
            higher = int((difference.mean(axis=1) > _ROUNDING).sum())
            rows.append(
                (
                    *text_cells(f"{each.after} - {each.before}", what),
                    Cell(score=mean_of(difference, level=each.level)),
                    *text_cells(
                        _percentiles(difference, each.level), f"{each.level:.1%}", f"{higher} of {len(difference)}"
                    ),
                )
            )
    columns = ("loops", "Beyond-I", "difference, points", "by percentiles", "confidence level", "seeds with a gain")
    intervals = "The first interval is Student's, with the bootstrap's standard error; the second uses its percentiles."
    notes = ("Paired by problem and seed.", *((intervals,) if have_intervals(scores) else ()))
    return Table(f"comparisons-{experiment.name}", "Comparisons", columns, tuple(rows), notes)


def _percentiles(values: NDArray[np.float64], level: float) -> str:
    if min(values.shape) < 2:
        return ""
    found = crossed_percentiles(values, level=level)
    return f"{PERCENT * found.low:.2f} to {PERCENT * found.high:.2f}"


def rise_table(scores: Mapping[str, LoopScores]) -> Table:
    """How far each loop rises."""
    rows = [
        (
            *text_cells(label),
            Cell(score=mean_of(values[:, :, -1] - values[:, :, 0])),
            Cell(score=mean_of(_late(values))),
        )
        for label, values in ((label, each.scores[BEYOND_I]) for label, each in scores.items())
    ]
    late = late_iteration(next(iter(scores.values())).fast.shape[2] - 1)
    columns = ("loop", "from iteration 0 to the last, points", f"after iteration {late}, points")
    return Table("rises", "How much Beyond-I rises", columns, tuple(rows), (_means(scores),))


def seed_table(scores: Mapping[str, LoopScores]) -> Table:
    """The means of each seed."""
    rows = [
        (*text_cells(label, what), *(Cell(score=Score(PERCENT * each)) for each in values.mean(axis=1)))
        for label, parts in ((label, _parts(each)) for label, each in scores.items())
        for what, values in parts.items()
    ]
    seeds = len(next(iter(scores.values())).fast)
    columns = ("loop", "Beyond-I", *(f"seed {seed}" for seed in range(seeds)))
    return Table("seeds", "Beyond-I of each seed, %", columns, tuple(rows))


def score_table(scores: Mapping[str, LoopScores], measure: Measure) -> Table:
    """A score by iteration."""
    lines = [_line(label, each.scores[measure]) for label, each in scores.items()]
    title = f"{measure.value} by iteration, %"
    return iteration_table(measure.value, title, ("loop",), lines, notes=(_means(scores),), source="")


def fast_table(scores: Mapping[str, LoopScores]) -> Table:
    """The share of questions that are answered in the fast way."""
    lines = [_line(label, each.fast) for label, each in scores.items()]
    note = "Read from the text of the best code, which the loop chose by its measurements. A failing code counts as 0."
    title = "Questions answered in the fast way by iteration, %"
    return iteration_table("fast", title, ("loop",), lines, notes=(note, _means(scores)), source="")


def condition_table(scores: Mapping[str, LoopScores]) -> Table:
    """What the loops were measured under."""
    rows = []
    for label, each in scores.items():
        seeds, problems = each.drifts.shape
        known = each.drifts[np.isfinite(each.drifts)]
        spread = f"{known.min():.2f} to {known.max():.2f}" if known.size else "no anchor passes"
        answers = (each.answers, each.prompt_tokens, each.answer_tokens)
        told = (f"{each.flagged} of {seeds * problems}", spread, *(f"{count:,}" for count in answers))
        rows.append(text_cells(label, *told))
    columns = (
        "loop",
        "problems flagged for drift",
        "drift of the integral",
        "answers",
        "tokens read",
        "tokens written",
    )
    machines = sorted({each.machine for each in scores.values()})
    notes = (
        *(f"Measured on {each}." for each in machines),
        "Flagged: anchors drifted by more than 5% in two series. Known solutions are scaled by the drift.",
    )
    return Table("conditions", "Conditions", columns, tuple(rows), notes)


def cost_table(cost: GrpoCost) -> Table:
    """Where the time of GRPO went."""
    rows = (
        ("generation, s", cost.generation_s, 0),
        ("rewards, s", cost.reward_s, 0),
        ("updates and all else, s", cost.update_s, 0),
        ("tokens written per second of generation", cost.answer_tokens / cost.generation_s, 0),
        ("programs run", cost.runs, 0),
        ("programs run per second of rewards", cost.runs / cost.reward_s, 2),
        ("program cores busy during rewards, %", PERCENT * cost.slots_busy, 1),
    )
    cells = tuple((*text_cells(name), Cell(score=Score(value), digits=digits)) for name, value, digits in rows)
    return Table("cost", "Where the time of GRPO went, all seeds together", ("", "measured"), cells)


def time_table(times_s: Mapping[str, float]) -> Table:
    """How long the stages took, those of all seeds together."""
    kinds: dict[str, float] = {}
    for name, time_s in times_s.items():
        kind = name.partition(", seed")[0]
        kinds[kind] = kinds.get(kind, 0.0) + time_s
    kinds["all"] = sum(times_s.values())
    rows = tuple((*text_cells(kind), Cell(score=Score(time_s / 60), digits=1)) for kind, time_s in kinds.items())
    return Table("times", "Time, all seeds together", ("what", "minutes"), rows)


def _parts(scores: LoopScores) -> dict[str, NDArray[np.float64]]:
    """What is compared of Beyond-I: each S x P."""
    values = scores.scores[BEYOND_I]
    late = f"gain after iteration {late_iteration(values.shape[2] - 1)}"
    return {_ALL: values.mean(axis=2), _LAST: values[:, :, -1], late: _late(values)}


def _late(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What S x P x (I + 1) scores gain in the late iterations."""
    gained: NDArray[np.float64] = values[:, :, -1] - values[:, :, late_iteration(values.shape[2] - 1)]
    return gained


def late_iteration(last: int) -> int:
    """The iteration after which a gain is late, in a loop with this last one."""
    return min(_LATE, last // 2)


def _means(scores: Mapping[str, LoopScores]) -> str:
    """What the numbers of a table are; those of a single seed or problem have no intervals."""
    intervals = ", with 95% intervals from resampling both" if have_intervals(scores) else ""
    return f"Means over problems and seeds{intervals}."


def have_intervals(scores: Mapping[str, LoopScores]) -> bool:
    """Whether there are several seeds and several problems, so that means have intervals."""
    return all(min(each.fast.shape[:2]) > 1 for each in scores.values())


def _line(label: str, values: NDArray[np.float64]) -> Line:
    return Line((label,), [mean_of(values[:, :, at], (0.0, 1.0)) for at in range(values.shape[2])])
