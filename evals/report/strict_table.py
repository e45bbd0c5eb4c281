"""Where our strict rule disagrees with a benchmark's own, which a code may be able to fool."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from afterburner.evals.enamel_levels import ENAMEL, ran_out
from afterburner.evals.evaluation import ACCEPTED
from afterburner.evals.report.table import Table, text_cells
from afterburner.evals.tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from afterburner.evals.evaluation import Evaluation
    from afterburner.evals.report.run_scores import RunScores
    from afterburner.evals.report.table import Cell

_KEY, _TITLE = "strict", "Passes that our strict rule refuses"
_COLUMNS = ("run", "passes", "strict rule agrees", "strict rule refuses", "no strict verdict", "refused codes")
_NOTES = (
    "Codes of all generations after the last iteration that pass by the benchmark's own rule, which the scores use.",
    "The strict rule also compares types and order, and keeps the answers out of the solution's process.",
    "A pass that it refuses may be right where a problem has several right answers. The problem's page shows the code.",
)
_SHOWN = 8


def strict_table(runs: Sequence[RunScores]) -> Table | None:
    """The table of runs on one dataset; None: it has no strict rule."""
    verdicts = [_verdicts(each.main.evaluation) for each in runs]
    if not any(verdicts):
        return None
    rows = (tuple(_row(each, known)) for each, known in zip(runs, verdicts, strict=True))
    return Table(_KEY, _TITLE, _COLUMNS, tuple(rows), _NOTES)


def _row(each: RunScores, verdicts: Mapping[tuple[str, str], str]) -> Iterator[Cell]:
    evaluation = each.main.evaluation
    counts: Counter[str] = Counter()
    refused = []
    for problem, generation, code in _last_codes(evaluation):
        verdict = verdicts.get((problem, code), "")
        counts["none" if not verdict else "agrees" if verdict == ACCEPTED else "refuses"] += 1
        if verdict and verdict != ACCEPTED:
            refused.append(f"{problem} (generation {generation}): {verdict}")
    more = len(refused) - _SHOWN
    listed = "; ".join([*refused[:_SHOWN], *([f"{more} more"] if more > 0 else [])])
    yield from text_cells(each.run.label, counts.total(), counts["agrees"], counts["refuses"], counts["none"], listed)


def _last_codes(evaluation: Evaluation) -> Iterator[tuple[str, int, str]]:
    """Problems, generations and codes after the last iteration, as far as they pass."""
    codes = {
        (row["problem_id"], row["generation"]): row["code_id"]
        for row in _rows(evaluation, "best")
        if row["iteration"] == evaluation.iterations
    }
    for problem in evaluation.problems:
        for generation, passed in enumerate(problem.passed[:, -1]):
            if passed:
                yield problem.id, generation, codes.get((problem.id, generation), "")


def _verdicts(evaluation: Evaluation) -> Mapping[tuple[str, str], str]:
    """What the strict rule said, by problem and code; where ENAMEL lets a code run out of time, so does it."""
    cases = {
        each.id: [*(each.facts["case_names"] or ()), *(each.facts["private_case_names"] or ())]
        for each in evaluation.problems
        if each.facts["dataset"] == ENAMEL
    }
    return {
        (row["problem_id"], row["code_id"]): ACCEPTED
        if ran_out(row["verdict"], row["detail"], cases.get(row["problem_id"], ()))
        else row["verdict"]
        for row in _rows(evaluation, "verdicts")
    }


def _rows(evaluation: Evaluation, table: str) -> Sequence[Mapping[str, Any]]:
    return [] if evaluation.folder is None else read_rows(evaluation.folder, table)
