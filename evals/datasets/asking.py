"""Has a program in the sandbox work something out, and reads its answer as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeGuard

from afterburner.evals.errors import RecordError
from afterburner.sandbox import Limits, Program, TestCase, Verdict

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox

DATASET_LIMITS = Limits(wall_time_s=60.0, cpu_time_s=60.0)  # for what a dataset's own code works out
_SHOWN = 200


def answer_of(sandbox: Sandbox, source: str, request: object, field: str, limits: Limits = DATASET_LIMITS) -> Any:
    """Run a Python program once, and read the JSON that it prints.

    Args:
        sandbox: where it runs.
        source: of the program; it may be hostile.
        request: what it finds on stdin, as JSON.
        field: of the record that the program comes from, for errors.
        limits: for the run.

    Raises:
        RecordError: it did not end well, or did not print one JSON value.
        AfterburnerError: as `Sandbox.run`.
    """
    report = sandbox.run(Program("python", source), [TestCase(json.dumps(request).encode())], limits).cases[0]
    if report.verdict is not Verdict.ACCEPTED:
        raise RecordError(field, f"its code failed in the sandbox: {report.detail}")
    try:
        return json.loads(report.stdout)
    except (ValueError, RecursionError) as error:
        raise RecordError(field, f"its code printed no JSON ({error}): {report.stdout[:_SHOWN]!r}") from None


def rows_of(made: object, rows: int, columns: int, field: str) -> list[list[str]]:
    """What a program printed, as so many rows of so many texts.

    Raises:
        RecordError: it printed something else.
    """
    if isinstance(made, list) and len(made) == rows and all(_is_row(each, columns) for each in made):
        return made
    raise RecordError(field, "its code printed something else than tests")


def is_text(made: object) -> TypeGuard[str]:
    """Whether it is a text that a file can hold: one with half a character (a lone surrogate) is none."""
    if not isinstance(made, str):
        return False
    try:
        made.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_row(made: object, columns: int) -> bool:
    return isinstance(made, list) and len(made) == columns and all(is_text(each) for each in made)
