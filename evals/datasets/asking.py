"""Has a program in the sandbox work something out, and reads its answer as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

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
