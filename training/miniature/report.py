"""The miniature's report: a figure for each experiment, what its protocol compares, and the cost."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.wording import count
from afterburner.evals.report.curves import Curve
from afterburner.evals.report.measures import BEYOND_I, MEASURES
from afterburner.evals.report.pictures import write_pictures
from afterburner.evals.report.table_markdown import table_markdown
from afterburner.training.miniature.report_tables import (
    comparison_table,
    condition_table,
    cost_table,
    fast_table,
    have_intervals,
    mean_of,
    rise_table,
    score_table,
    seed_table,
    time_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from afterburner.evals.report.table import Table
    from afterburner.training.miniature.arms import Experiment
    from afterburner.training.miniature.costs import GrpoCost
    from afterburner.training.miniature.outcome import LoopScores

FIGURES, REPORT = "figures.json", "report.md"


@dataclass(frozen=True, slots=True)
class Results:
    """What a report is about.

    Attributes:
        experiments: that were made.
        scores: of each loop, by its label.
        times_s: of each stage, by its name.
        cost: of GRPO.
        warning: told before anything else; empty: nothing.
    """

    experiments: Sequence[Experiment]
    scores: Mapping[str, LoopScores]
    times_s: Mapping[str, float]
    cost: GrpoCost
    warning: str = ""


def write_report(results: Results, out: Path) -> None:
    """Write `report.md`, a picture of each experiment as SVG and PNG, and all figures as JSON."""
    out.mkdir(parents=True, exist_ok=True)
    tables, parts = [], ["# Miniature\n", *([f"**{results.warning}**\n"] if results.warning else [])]
    for experiment in results.experiments:
        own = {loop.label: results.scores[loop.label] for loop in experiment.loops}
        curves = [_curve(label, place, scores) for place, (label, scores) in enumerate(own.items())]
        write_pictures(out, experiment.name, curves, _caption(own, results.warning))
        parts.append(f"## {experiment.title}\n\n![Scores over the iterations]({experiment.name}.svg)\n")
        found = _tables(experiment, own, results.scores)
        parts += [table_markdown(each, 3) for each in found]
        tables += found
    shared = [cost_table(results.cost), time_table(results.times_s)]
    parts += ["## Cost\n", *(table_markdown(each, 3) for each in shared)]
    (out / REPORT).write_text("\n".join(parts), encoding="utf-8")
    (out / FIGURES).write_text(json.dumps(_document(results, [*tables, *shared]), indent=1) + "\n", encoding="utf-8")


def _caption(scores: Mapping[str, LoopScores], warning: str) -> str:
    """What the picture shows, with all that somebody has to know who sees nothing else."""
    seeds, problems, _ = next(iter(next(iter(scores.values())).scores.values())).shape
    intervals = ", 95% intervals" if have_intervals(scores) else ""
    title = f"Miniature: mean over {count(problems, 'problem')} and {count(seeds, 'seed')}{intervals}"
    return f"{warning}\n{title}" if warning else title


def _curve(label: str, place: int, scores: LoopScores) -> Curve:
    points = {
        measure: [mean_of(values[:, :, at], (0.0, 1.0)) for at in range(values.shape[2])]
        for measure, values in scores.scores.items()
    }
    return Curve(label, place, points, {})


def _tables(experiment: Experiment, own: Mapping[str, LoopScores], every: Mapping[str, LoopScores]) -> list[Table]:
    return [
        comparison_table(experiment, every),
        rise_table(own),
        seed_table(own),
        *(score_table(own, measure) for measure in (BEYOND_I, *(each for each in MEASURES if each is not BEYOND_I))),
        fast_table(own),
        condition_table(own),
    ]


def _document(results: Results, tables: Sequence[Table]) -> dict[str, Any]:
    """All that the report says, and the scores that it is made of."""
    return {
        "tables": [each.to_document() for each in tables],
        "scores": {
            label: {
                **{measure.value: values.tolist() for measure, values in scores.scores.items()},
                "fast": scores.fast.tolist(),
                "answers": scores.answers,
                "prompt_tokens": scores.prompt_tokens,
                "answer_tokens": scores.answer_tokens,
            }
            for label, scores in results.scores.items()
        },
    }
