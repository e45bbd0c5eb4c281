"""The scores that a benchmark has of its own: Mercury's Beyond, EffiBench's normalised values, ENAMEL's eff@k."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from afterburner.agent.types import Objective
from afterburner.agent.wording import count
from afterburner.evals.enamel_levels import level_of, ran_out
from afterburner.evals.errors import EvaluationError
from afterburner.evals.evaluation import ACCEPTED
from afterburner.evals.metrics.other_benchmarks import (
    eff_at_k,
    effibench,
    enamel_efficiency,
    hodges_lehmann,
    mercury_beyond,
)
from afterburner.evals.problems import Figures
from afterburner.evals.report.captions import captions
from afterburner.evals.report.measures import Score
from afterburner.evals.report.table import Cell, Table, text_cells
from afterburner.evals.tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from afterburner.evals.evaluation import EvaluatedProblem, Evaluation
    from afterburner.evals.report.run_scores import RunScores
    from afterburner.evals.tables import Row

_KEY, _TITLE = "own-scores", "The benchmark's own score"
_MERCURY = "mercury"
_NO_SCALE = "No problem has two known solutions that pass here in different times, so there is no scale."
_NO_REFERENCE = "No problem has a known solution that was measured here."
_LEVELS = (1, 2, 3)  # those of ENAMEL that efficiency is computed from


def own_scores_table(runs: Sequence[RunScores]) -> Table | None:
    """The table of runs on a dataset that has a score of its own; None: it has none."""
    found = _SCORES.get(runs[0].run.dataset) if runs else None
    if found is None:
        return None
    columns, make, note = found
    rows = tuple((*text_cells(each.run.label), *make(each.main.evaluation)) for each in runs)
    notes = (*captions(runs, has_intervals=False), note)
    return Table(_KEY, _TITLE, ("run", *columns), rows, notes, cautions=tuple(filter(None, map(own_caution, runs))))


def own_caution(each: RunScores) -> str:
    """How many problems the benchmark's own score leaves out, and why; empty: none, or this is told elsewhere."""
    if each.run.dataset != _MERCURY:
        return ""
    problems = each.main.evaluation.problems
    known = [len(problem.references[Objective.TIME]) for problem in problems if not _has_scale(problem)]
    if not known:
        return ""
    told = (
        (known.count(0), "none"),
        (known.count(1), "one"),
        (sum(one > 1 for one in known), "several of equal times"),
    )
    why = ", ".join(f"{kind} in {number}" for number, kind in told if number)
    return (
        f"Mercury's Beyond of {each.run.label} leaves {len(known)} of {count(len(problems), 'problem')} out: it needs "
        f"two known solutions that pass here in different times. There are: {why}."
    )


def _has_scale(problem: EvaluatedProblem) -> bool:
    """Whether the known solutions took different times, so that Mercury's Beyond is no 0 / 0."""
    return len(set(problem.references[Objective.TIME].tolist())) > 1


def _mercury(evaluation: Evaluation) -> tuple[Cell, ...]:
    scores = []
    for problem in filter(_has_scale, evaluation.problems):
        humans = problem.references[Objective.TIME].tolist()
        passed, times = problem.passed[:, -1], problem.figures[Objective.TIME][:, -1]
        scores += [
            mercury_beyond(float(np.nanmedian(time)) if ok else None, humans)
            for ok, time in zip(passed, times, strict=True)
        ]
    return (_share(scores, _NO_SCALE),)


def _effibench(evaluation: Evaluation) -> tuple[Cell, ...]:
    measured, canonical = {}, {}
    for problem in evaluation.problems:
        reference = _medians({each: problem.references[each] for each in Objective})
        for generation, passed in enumerate(problem.passed[:, -1]):
            task = f"{problem.id} {generation}"
            if passed:
                measured[task] = _medians({each: problem.figures[each][generation, -1] for each in Objective})
            if not math.isnan(reference.wall_time_s):
                canonical[task] = reference
    try:
        found = effibench(measured, canonical)
    except EvaluationError as error:
        return tuple(Cell(missing=str(error)) for _ in range(4))
    return (*text_cells(found.tasks), *(Cell(score=Score(each)) for each in (found.net, found.nmu, found.ntmu)))


def _medians(values: Mapping[Objective, Any]) -> Figures:
    time_s, peak_kib, integral = (
        float(np.nanmedian(values[each])) if np.isfinite(values[each]).any() else math.nan for each in Objective
    )
    return Figures(time_s, math.nan, peak_kib, integral)


def _enamel(evaluation: Evaluation) -> tuple[Cell, ...]:
    if evaluation.folder is None:
        return (Cell(missing="The times of single cases are read from the run's folder."),) * 2
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    tests = evaluation.tests
    for row in read_rows(evaluation.folder, "measurements"):
        if row["tests"] == tests.get(row["problem_id"]):
            rows[row["problem_id"], row["code_id"]].append(row)
    anchors = {
        row["problem_id"]: row["code_id"]
        for row in read_rows(evaluation.folder, "references")
        if row["tests"] == tests.get(row["problem_id"])
    }
    last = {
        (row["problem_id"], row["generation"]): row["code_id"]
        for row in read_rows(evaluation.folder, "best")
        if row["iteration"] == evaluation.iterations
    }
    scores = []
    for problem in evaluation.problems:
        reference = _levels(rows[problem.id, anchors.get(problem.id, "")], problem) or [None]
        whole = [cases for cases in reference if cases is not None]
        if len(whole) == len(_LEVELS):
            scores.append(
                [
                    enamel_efficiency(_levels(rows[name, code], problem) or [None] * len(_LEVELS), whole)
                    for (name, _), code in last.items()
                    if name == problem.id
                ]
            )
    scores = [each for each in scores if each]
    return _share([eff_at_k(each, 1) for each in scores]), _share([eff_at_k(each, len(each)) for each in scores])


def _levels(rows: Sequence[Row], problem: EvaluatedProblem) -> list[list[float] | None] | None:
    """The time of each case of each level, of all repeats by Hodges and Lehmann; None: the code is wrong, or unknown.

    A level in which a case ran out of time or memory is None, and so are those after it.
    """
    names = problem.facts["case_names"] or ()
    if not rows or any(
        row["verdict"] != ACCEPTED and not ran_out(row["verdict"], row["detail"], names) for row in rows
    ):
        return None
    # The last case of a run that ran out is the one that did: a run stops there.
    taken = [(row["case_wall_times_s"] or ())[: None if row["verdict"] == ACCEPTED else -1] for row in rows]
    made = min(map(len, taken))
    times = hodges_lehmann(np.array([each[:made] for each in taken]).T) if made else np.zeros(0)
    cases: dict[int, list[str]] = defaultdict(list)
    for name in names:
        if (level := level_of(name)) is not None:
            cases[level].append(name)
    if any(not cases[level] for level in _LEVELS):
        return None
    timed = dict(zip(names, times.tolist(), strict=False))
    return [
        [timed[name] for name in cases[level]] if all(name in timed for name in cases[level]) else None
        for level in _LEVELS
    ]


def _share(scores: Sequence[float], missing: str = _NO_REFERENCE) -> Cell:
    if not scores:
        return Cell(missing=missing)
    return Cell(score=Score(100 * fmean(scores)))


_SCORES: Mapping[str, tuple[tuple[str, ...], Callable[[Evaluation], tuple[Cell, ...]], str]] = {
    _MERCURY: (
        ("Beyond",),
        _mercury,
        (
            "(max - t) / (max - min) over the known solutions' times; t is clipped to them. Problems with max = min "
            "are left out."
        ),
    ),
    "effibench": (
        ("tasks", "NET", "NMU", "NTMU"),
        _effibench,
        (
            "Totals over those of the canonical solutions, on the tasks that both pass; below 1 is better. A task "
            "counts once for each generation."
        ),
    ),
    "enamel": (
        ("eff@1", "eff@k, all generations"),
        _enamel,
        (
            "Efficiency over the levels 1 to 3 with weights 3, 3, 4; the levels end where a case takes twice the "
            "reference's slowest one. Times are of whole processes, Python's start included, unlike ENAMEL's own."
        ),
    ),
}
