"""Table 2: what a model loses without feedback, and without the original code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.evals.report.captions import NO_REFERENCES, captions
from afterburner.evals.report.measures import MEASURES
from afterburner.evals.report.paper_numbers import ABLATION_ITERATION, TABLE_2, TABLE_2_SOURCE, VENUS
from afterburner.evals.report.table import Cell, Table, empty_table, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.report.measures import Measure
    from afterburner.evals.report.run_scores import RunScores

_KINDS = {"paper": "all of it", "no-feedback": "no feedback", "no-original": "no original code"}
_KEY, _TITLE = "table-2", "Table 2: ablations"
_COMPARED = "Brackets hold the difference to the same model with all of it, if both are of the same problems."


def ablations(runs: Sequence[RunScores]) -> Table:
    """The table of runs on one dataset: for each model with an ablation the three kinds, at two iterations."""
    fitting = [each for each in runs if each.run.start == "none" and each.run.kind in _KINDS]
    models = dict.fromkeys(each.run.model for each in fitting if each.run.kind != "paper")
    if not models:
        return empty_table(_KEY, _TITLE, _no_run("no-feedback|no-original"))
    fitting = [each for each in fitting if each.run.model in models]
    rows = [row for model in models for row in _rows([each for each in fitting if each.run.model == model])]
    columns = ("model", "told", "run", "iteration", *(f"{each.value}, %" for each in MEASURES))
    notes = (*captions(fitting), _COMPARED)
    return Table(_KEY, _TITLE, columns, tuple(rows), notes, TABLE_2_SOURCE)


def _no_run(kind: str) -> str:
    return f"No run of this kind: afterburner-agent eval run … --tell {kind}"


def _rows(runs: Sequence[RunScores]) -> Iterator[tuple[Cell, ...]]:
    model, last = runs[0].run.model, max(each.run.iterations for each in runs)
    whole = next((each for each in runs if each.run.kind == "paper"), None)
    for iteration in sorted({min(ABLATION_ITERATION, last), last}):
        for kind, name in _KINDS.items():
            found = [each for each in runs if each.run.kind == kind]
            for each in found:
                cells = [_cell(each, whole, one, iteration) for one in MEASURES]
                yield (*text_cells(model, name, each.run.label, iteration), *cells)
            if not found:
                yield (*text_cells(model, name, "", iteration), *[Cell(missing=_no_run(kind))] * len(MEASURES))


def _cell(each: RunScores, whole: RunScores | None, measure: Measure, iteration: int) -> Cell:
    score = each.at(measure, iteration)
    papers = TABLE_2.get(each.run.paper_model, {}) if _is_papers(each, iteration) else {}
    paper, papers_whole = (papers.get(kind, {}).get(measure) for kind in (each.run.kind, "paper"))
    papers_change = paper.value - papers_whole.value if paper and papers_whole and each.run.kind != "paper" else None
    if score is None or score.value != score.value:
        missing = NO_REFERENCES if score is not None else f"The run has only {each.run.iterations} iterations."
        return Cell(paper=paper, paper_change=papers_change, missing=missing)
    base = whole.at(measure, iteration) if whole is not None and whole is not each and _same(each, whole) else None
    change = score.value - base.value if base is not None else None
    return Cell(score=score, paper=paper, change=change, paper_change=papers_change)


def _is_papers(each: RunScores, iteration: int) -> bool:
    run = each.run
    is_loop = (run.setting("selection", "paper"), run.setting("objective", "integral")) == ("paper", "integral")
    return run.paper_dataset == VENUS and is_loop and iteration == ABLATION_ITERATION


def _same(one: RunScores, other: RunScores) -> bool:
    return one.main.evaluation.tests == other.main.evaluation.tests
