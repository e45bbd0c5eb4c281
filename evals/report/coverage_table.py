"""How often our intervals, and the paper's, contain the truth: simulated evaluations whose truth is known."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from afterburner.evals.report.measures import MEASURES, Score
from afterburner.evals.report.run_scores import PERCENT
from afterburner.evals.report.table import Cell, Table, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DATA = "coverage.json"  # beside this module, so that an installed program has it
_COLUMNS = (
    "problems",
    "metric",
    "ours",
    "without our corrections",
    "the paper's",
    "truth, %",
    "half width",
    "the paper's half width",
)
_NAMES = {each.value.lower(): each.value for each in MEASURES}
_NOTES = (
    (
        "How often a 95% interval contains the truth. Nothing of this comes from the runs above, and no clock is "
        "involved: evaluations are simulated, so the truth is known, with the times and memory of known solutions, "
        "generations and repeats drawn from distributions."
    ),
    "Half width: the mean of half an interval's width, in points.",
    "The paper's interval resamples the repeats of one solution and divides by the root of the number of resamples.",
)


def coverage_table() -> Table | None:
    """The table of the packaged simulation; None: there is none."""
    found = files(__package__).joinpath(DATA)
    return table_of(json.loads(found.read_text("utf-8"))) if found.is_file() else None


def table_of(known: Mapping[str, Any]) -> Table:
    """The table of the results of `scripts/bench_coverage`."""
    rows = tuple(row for size in known["sizes"] for row in _rows(size))
    repetitions = sorted({size["repetitions"] for size in known["sizes"]})
    told = f"Evaluations simulated for each row: {', '.join(f'{each:,}' for each in repetitions)}."
    return Table("coverage", "Coverage of the 95% intervals, simulated", _COLUMNS, rows, (*_NOTES, told))


def _rows(size: Mapping[str, Any]) -> Iterator[tuple[Cell, ...]]:
    shape = f"{size['problems']}, {size['generations']} generations, {size['runs']} repeats"
    for metric, each in size["metrics"].items():
        shares = (Cell(score=Score(each[name] * PERCENT), digits=1, unit="%") for name in ("ours", "plain", "paper"))
        widths = (each["our_half_width"], each["paper_half_width"])
        yield (
            *text_cells(shape, _NAMES.get(metric, metric)),
            *shares,
            Cell(score=Score(each["truth"] * PERCENT)),
            *(Cell(score=Score(width * PERCENT)) for width in widths),
        )
