"""Makes of a raw problem what its solutions are run and judged by, and reads raw problems."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent import Problem
from afterburner.evals.datasets.sources import read_records
from afterburner.evals.datasets.venus import read_raw_venus
from afterburner.evals.datasets.venus_fields import check_stated, misspelt_fields
from afterburner.evals.errors import RecordError
from afterburner.evals.graders.texts import venus_checker
from afterburner.evals.problems import Rejected
from afterburner.sandbox import TestCase
from afterburner.sandbox.checkers import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from afterburner.evals.datasets.raw import RawProblem
    from afterburner.evals.datasets.records import Record

NO_EVALUATOR = "no evaluator: outputs are compared by lines"
RAW_SPLIT = "train"  # of a folder: raw problems are what benchmarks are made of, and they are split later
_NOT_CHOSEN = (TestCase(),)  # a problem needs a case; the recipe chooses them later


def frame(raw: RawProblem) -> Problem:
    """Frame a raw problem: the problem without its cases, judged by its evaluator; by lines where it has none.

    Raises:
        UsageError: its language is not known, or its runner has no place for a solution.
    """
    return Problem(
        name=raw.title or raw.id,
        description=raw.description,
        cases=_NOT_CHOSEN,
        language=raw.language,
        runner=raw.runner,
        starter_code=raw.starter_code,
        checker=venus_checker(raw.evaluator) if raw.evaluator.strip() else Lines(),
    )


def read_raw_problems(source: Path, language: str = "python") -> Iterator[RawProblem | Rejected]:
    """Read raw problems in the layout of Venus, one at a time; a broken record is a `Rejected`, and the others go on.

    Args:
        source: a file, or a folder of files, of which those for training are read.
        language: of the solutions.

    Raises:
        DatasetError: there is no such source, or it cannot be read at all.
    """
    for record in read_records(source, RAW_SPLIT):
        yield record if isinstance(record, Rejected) else _raw(record, language)


def _raw(record: Record, language: str) -> RawProblem | Rejected:
    misspelt = tuple(map(_storable, misspelt_fields(record)))
    try:
        raw = read_raw_venus(record, language)
        check_stated(record)
    except RecordError as error:
        place = f"{record.place} ({record.name})" if record.name else record.place
        reason = "; ".join((error.reason, *misspelt))
        return Rejected(*(_storable(text) for text in (place, error.field, reason)))
    return replace(raw, notes=misspelt)


def _storable(text: str) -> str:
    """A text as a file can hold it: a record's name may be half a character."""
    return text.encode("utf-8", "replace").decode("utf-8")
