"""The fields of a raw problem in either layout of Venus: which have to be there, and which may have been misspelt."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from afterburner.evals.datasets.records import LONGEST_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from afterburner.evals.datasets.records import Record

_OF_BOTH = (
    *("difficulty", "code_prompt", "test_cases"),
    *("test_case_generator", "test_case_evaluator", "test_case_runners"),
)
_READ = ("problem_id", "title", "question_content", "tags", "solutions", *_OF_BOTH)
_READ_OF_HUB = ("question_id", "name", "content", "topics", "rt_list", "mm_list", *_OF_BOTH)
_READ_OF_SOLUTION = ("code", "passed")
_NOT_READ = frozenset(  # the layouts have them, and `eval build` has no use for them
    {"status", "time", "memory", "integral"}
    | {"acRate", "runtimeDistribution", "memoryDistribution", "rt_solution_count", "mm_solution_count"}
)
_STATED = ("test_case_generator", "test_case_evaluator")  # Elfsong/Venus_Python has them in every record
_CLOSE = 0.7  # as near as `prompt` is to `code_prompt`


def is_hub_layout(record: Record) -> bool:
    """Whether a record is of Elfsong/Venus rather than of Elfsong/Venus_Python."""
    return record.has("rt_list") or record.has("mm_list")


def check_stated(record: Record) -> None:
    """Refuse a raw problem that says neither how its answers are judged nor that it leaves this to the recipe.

    An empty text says so. The layout of Elfsong/Venus has no such fields.

    Raises:
        RecordError: a field is missing, null or no text.
    """
    for name in () if is_hub_layout(record) else _STATED:
        record.text(name)


def misspelt_fields(record: Record) -> tuple[str, ...]:
    """A sentence for each field that the record lacks and has under nearly the same name."""
    found = {meant: name for name, meant in _near(record.values, _READ_OF_HUB if is_hub_layout(record) else _READ)}
    solutions = record.values.get("solutions")
    for place, each in enumerate(solutions if isinstance(solutions, list | tuple) else ()):
        for name, meant in _near(each, _READ_OF_SOLUTION) if isinstance(each, dict) else ():
            found.setdefault(meant, f"solutions[{place}].{name}")
    return tuple(f"unknown field {name}. Did you mean {meant}?" for meant, name in found.items())


def _near(values: Mapping[str, Any], read: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Unknown names, each with the missing one that it is close to."""
    missing = [name for name in read if values.get(name) is None]
    for name in values if missing else ():
        if name not in read and name not in _NOT_READ and len(name) <= LONGEST_NAME:
            for meant in get_close_matches(name, missing, n=1, cutoff=_CLOSE):
                yield name, meant
