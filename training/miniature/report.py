"""The miniature's report: Figure 5 with all seeds, the comparisons that the protocol names, and the cost."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.evals.metrics.intervals import LEVEL
from afterburner.evals.report.curves import Curve
from afterburner.evals.report.iterations import Line, iteration_table
from afterburner.evals.report.measures import BEYOND_I, MEASURES, Score
from afterburner.evals.report.pictures import write_pictures
from afterburner.evals.report.run_scores import percent
from afterburner.evals.report.table import Cell, Table, text_cells
from afterburner.evals.report.table_markdown import table_markdown
from afterburner.training.miniature.crossed import crossed_interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from afterburner.training.miniature.costs import GrpoCost
    from afterburner.training.miniature.outcome import Loops

FIGURES, REPORT = "figures.json", "report.md"
BOTH_SECONDARY = 1 - (1 - LEVEL) / 2  # Bonferroni: two intervals that hold together at 95%
LATE = 5  # the iteration from which a late gain counts
_SEEDS_KNOWN = "Mean over problems and seeds, with 95% intervals from resampling both."


@dataclass(frozen=True, slots=True)
class Found:
    """What a report is about.

    Attributes:
        loops: of each model, by its label.
        start: the label of the model that the primary comparison holds GRPO against.
        grpo: the label of GRPO's model.
        others: labels of the models of the secondary comparisons.
        times_s: of each stage.
        cost: of GRPO; None: it was not trained.
    """

    loops: Mapping[str, Loops]
    start: str
    grpo: str
    others: Sequence[str]
    times_s: Mapping[str, float]
    cost: GrpoCost | None = None


def write_report(found: Found, out: Path) -> None:
    """Write `report.md`, `figure-5.svg`, `figure-5.png` and all figures as JSON."""
    out.mkdir(parents=True, exist_ok=True)
    curves = [_curve(label, place, loops) for place, (label, loops) in enumerate(found.loops.items())]
    write_pictures(out, "figure-5", curves, f"Miniature: {_SEEDS_KNOWN}")
    tables = [
        _comparisons(found),
        _rises(found),
        _by_seed(found),
        *(_iterations(curves, measure.value) for measure in MEASURES),
        _fast(found),
        *([] if found.cost is None else [_cost(found.cost)]),
        _times(found),
    ]
    picture = "![Scores over the iterations](figure-5.svg)\n"
    parts = ["# Miniature\n", picture, *(table_markdown(each, 2) for each in tables)]
    (out / REPORT).write_text("\n".join(parts), encoding="utf-8")
    (out / FIGURES).write_text(json.dumps(_document(found, tables), indent=1) + "\n", encoding="utf-8")


def _curve(label: str, place: int, loops: Loops) -> Curve:
    scores = {
        measure: [_score(values[:, :, at]) for at in range(values.shape[2])] for measure, values in loops.scores.items()
    }
    return Curve(label, place, scores, {})


def _score(values: NDArray[np.float64]) -> Score:
    """Of scores, S x P; a single seed has no interval."""
    return Score(100 * float(values.mean())) if len(values) < 2 else percent(crossed_interval(values))


def _comparisons(found: Found) -> Table:
    rows = []
    pairs = [(found.start, LEVEL), *((other, BOTH_SECONDARY) for other in found.others)]
    for other, level in pairs:
        for what, values in (("mean of all iterations", _means), ("last iteration", _last)):
            differences = values(found.loops[found.grpo]) - values(found.loops[other])
            kind = "primary" if (other, what) == (found.start, "mean of all iterations") else "secondary"
            won = int((differences.mean(axis=1) > 0).sum())
            rows.append(
                (
                    *text_cells(f"{found.grpo} - {other}", what, kind),
                    _difference(differences, level),
                    *text_cells(f"{level:.1%}", f"{won} of {len(differences)}"),
                )
            )
    columns = ("models", "Beyond-I of", "comparison", "difference, points", "level of the interval", "seeds above 0")
    return Table("comparisons", "Comparisons", columns, tuple(rows), ("Paired by problem and seed.",))


def _rises(found: Found) -> Table:
    rows = []
    for label, loops in found.loops.items():
        values = loops.scores[BEYOND_I]
        last = values.shape[2] - 1
        cells = [_difference(values[:, :, last] - values[:, :, at], LEVEL) for at in (0, min(LATE, last))]
        rows.append((*text_cells(label), *cells))
    columns = ("model", "from iteration 0 to the last, points", f"from iteration {LATE} to the last, points")
    return Table("rises", "How much Beyond-I rises", columns, tuple(rows), (_SEEDS_KNOWN,))


def _by_seed(found: Found) -> Table:
    rows = []
    for label, loops in found.loops.items():
        for what, values in (("mean of all iterations", _means(loops)), ("last iteration", _last(loops))):
            rows.append((*text_cells(label, what), *(Cell(score=Score(100 * each)) for each in values.mean(axis=1))))
    seeds = len(next(iter(found.loops.values())).fast)
    columns = ("model", "Beyond-I of", *(f"seed {seed}" for seed in range(seeds)))
    return Table("seeds", "Beyond-I of each seed", columns, tuple(rows))


def _means(loops: Loops) -> NDArray[np.float64]:
    means: NDArray[np.float64] = loops.scores[BEYOND_I].mean(axis=2)
    return means


def _last(loops: Loops) -> NDArray[np.float64]:
    return loops.scores[BEYOND_I][:, :, -1]


def _difference(values: NDArray[np.float64], level: float) -> Cell:
    if len(values) < 2:
        return Cell(score=Score(100 * float(values.mean())))
    return Cell(score=percent(crossed_interval(values, level=level)))


def _iterations(curves: Sequence[Curve], name: str) -> Table:
    measure = next(each for each in MEASURES if each.value == name)
    lines = [Line((each.label,), each.scores[measure]) for each in curves]
    return iteration_table(name, f"{name}, % by iteration", ("model",), lines, notes=(_SEEDS_KNOWN,), source="")


def _fast(found: Found) -> Table:
    lines = [
        Line((label,), [_score(loops.fast[:, :, at]) for at in range(loops.fast.shape[2])])
        for label, loops in found.loops.items()
    ]
    note = "Counted from the text of the best code, so without noise. A code that fails has none."
    title = "Stages answered in the fast way, % by iteration"
    return iteration_table("fast", title, ("model",), lines, notes=(note, _SEEDS_KNOWN), source="")


def _cost(cost: GrpoCost) -> Table:
    rows = (
        ("generation, s", cost.generation_s, 0),
        ("rewards, s", cost.reward_s, 0),
        ("updates and all else, s", cost.update_s, 0),
        ("tokens written a second of generation", cost.answer_tokens / cost.generation_s, 0),
        ("programs run", cost.runs, 0),
        ("programs run a second of rewards", cost.runs / cost.reward_s, 2),
        ("cores for programs that were busy during rewards, %", 100 * cost.slots_busy, 1),
    )
    cells = tuple((*text_cells(name), Cell(score=Score(value), digits=digits)) for name, value, digits in rows)
    return Table("cost", "Where the time of GRPO went, all seeds together", ("", "measured"), cells)


def _times(found: Found) -> Table:
    whole = sum(found.times_s.values())
    rows = [(*text_cells(kind), Cell(score=Score(time_s / 60), digits=1)) for kind, time_s in _kinds(found.times_s)]
    rows.append((*text_cells("all"), Cell(score=Score(whole / 60), digits=1)))
    return Table("times", "Time of the stages, all seeds together", ("stage", "minutes"), tuple(rows))


def _kinds(times_s: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The stages without their seeds."""
    kinds: dict[str, float] = {}
    for name, time_s in times_s.items():
        kind = name.partition(", seed")[0]
        kinds[kind] = kinds.get(kind, 0.0) + time_s
    yield from kinds.items()


def _document(found: Found, tables: Sequence[Table]) -> dict[str, Any]:
    """All that the report says, and the scores that it is made of."""
    return {
        "tables": [each.to_document() for each in tables],
        "scores": {
            label: {
                **{measure.value: values.tolist() for measure, values in loops.scores.items()},
                "fast": loops.fast.tolist(),
                "answers": loops.answers,
                "prompt_tokens": loops.prompt_tokens,
                "answer_tokens": loops.answer_tokens,
            }
            for label, loops in found.loops.items()
        },
    }
