"""Functions of real packages: how many a run improves with proof, and by how much."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afterburner.evals.report.measures import Score
from afterburner.evals.report.table import Cell, Table, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from afterburner.evals.report.run_scores import RunScores

_KEY, _TITLE = "packages", "Functions of real packages"
_COLUMNS = ("run", "functions", "with a proven gain", "on a condition alone", "mean gain", "proven gains")
_NOTES = (
    "A function counts once for each generation.",
    "The mean is the geometric one of the proven gains: how many times smaller the figure of the objective is.",
    "Proven gains are those that the product would offer, with their own intervals.",
)
_SHOWN = 8


def offers_table(runs: Sequence[RunScores]) -> Table | None:
    """The table of runs on functions of packages; None: there are no such runs."""
    rows = [tuple(_row(each.run.label, each.run.public.gains)) for each in runs if each.run.public.gains]
    return Table(_KEY, _TITLE, _COLUMNS, tuple(rows), _NOTES) if rows else None


def _row(label: str, gains: Sequence[Mapping[str, Any]]) -> Iterator[Cell]:
    proven = sorted((row for row in gains if row["decision"] == "improved"), key=lambda row: -row["ratio"])
    conditional = sum(row["decision"] == "conditional" for row in gains)
    yield from text_cells(label, len(gains), len(proven), conditional)
    yield _mean([row["ratio"] for row in proven])
    told = [f"{row['problem_id']} {row['ratio']:.2f}x ({row['low']:.2f}, {row['high']:.2f})" for row in proven[:_SHOWN]]
    more = len(proven) - len(told)
    yield Cell("; ".join([*told, *([f"{more} more"] if more > 0 else [])]) or "none")


def _mean(ratios: Sequence[float]) -> Cell:
    if not ratios:
        return Cell(missing="No gain was proven.")
    return Cell(score=Score(math.exp(sum(map(math.log, ratios)) / len(ratios))), unit="x")
