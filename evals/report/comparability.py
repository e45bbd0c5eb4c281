"""What a reader has to know before comparing two runs: data and settings that differ, and a slower machine."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from afterburner.agent.types import Objective
from afterburner.agent.wording import count
from afterburner.evals.anchors import DRIFT_LIMIT
from afterburner.evals.metrics.machines import machine_ratios
from afterburner.evals.report.run_facts import data_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.evals.evaluation import Evaluation
    from afterburner.evals.report.runs import Run

_SETTINGS = ("start", "iterations", "generations", "objective", "selection", "candidates", "case_seconds")
_TOOK = {
    Objective.TIME: "took {:.2f} times as long",
    Objective.MEMORY: "needed {:.2f} times the memory",
    Objective.INTEGRAL: "had {:.2f} times the memory integral",
}


def machine_ratio(before: Evaluation, after: Evaluation, objective: Objective) -> float | None:
    """The median over problems of `machine_ratios`, where it is beyond 5%; None: it is not, or nothing is shared."""
    ratios = machine_ratios(before, after, objective)
    ratio = median(ratios.values()) if ratios else 1.0
    return ratio if abs(ratio - 1) > DRIFT_LIMIT else None


def warnings_about(runs: tuple[Run, Run], sides: tuple[Evaluation, Evaluation]) -> Iterator[str]:
    """Sentences about two runs, the earlier one first; none where nothing speaks against a comparison."""
    before, after = runs
    hashes = {run.public.about.get("dataset_sha256") for run in runs}
    if len(hashes) > 1 and all(hashes):
        yield (
            f"{before.label} and {after.label} are of different data ({'; '.join(map(data_of, runs))}). A problem that "
            "both have may have other cases in each, so differences and ratios may be those of the data."
        )
    different = [
        f"{name} ({', '.join('not given' if each is None else str(each) for each in values)})"
        for name in _SETTINGS
        if len(set(values := (before.setting(name, None), after.setting(name, None)))) > 1
    ]
    if different:
        yield f"{before.label} and {after.label} have different settings: {', '.join(different)}."
    shared = len(machine_ratios(*sides, Objective.TIME))
    if not shared:
        yield (
            f"No known solution was measured in both {before.label} and {after.label}, so nothing tells whether their "
            "machines were equally fast. Their ratios may be the machine's."
        )
    for objective, took in _TOOK.items():
        ratio = machine_ratio(*sides, objective)
        if ratio is not None:
            told = took.format(ratio)
            yield (
                f"The same known solutions {told} in {after.label} as in {before.label} (the median over "
                f"{count(shared, 'problem')}): its machine was {_state(objective, ratio)}, so the figures of the two "
                "runs cannot be compared as they are. The scaled ratio divides each problem's ratio by that of its "
                "known solutions."
            )


def _state(objective: Objective, ratio: float) -> str:
    if objective is Objective.MEMORY:
        return "set up differently"
    return "slower or busier" if ratio > 1 else "faster or less busy"
