"""A checker that is a program itself: it may be wrong or hostile, so it runs in a container, and in one of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from afterburner.sandbox.container_paths import PROGRAM_FOLDER
from afterburner.sandbox.errors import CheckerError
from afterburner.sandbox.launch import File
from afterburner.sandbox.scrubbing import scrub_bytes
from afterburner.sandbox.types import Compilation
from afterburner.sandbox.verdicts import report_of_process

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox.checkers import Custom
    from afterburner.sandbox.types import Limits, Program, RawResult

_WRONG_ANSWERS = (1, 2)  # exit codes, as testlib has them: a wrong answer, a wrong format
_SHOWN = 300


class RunAlone(Protocol):
    """Runs a program once, in a container of its own: `Sandbox.run_alone`."""

    def __call__(
        self, program: Program, limits: Limits, *, files: Sequence[File] = ..., cpu: int | None = ...
    ) -> RawResult | Compilation:
        """See `Sandbox.run_alone`."""


@dataclass(frozen=True, slots=True)
class CheckedOutput:
    """What a checker program is shown: the input, the output to judge, and the expected one."""

    given: bytes
    printed: bytes
    expected: bytes


def run_checker(run_alone: RunAlone, checker: Custom, output: CheckedOutput, *, cpu: int | None = None) -> str | None:
    """Runs `checker INPUT OUTPUT ANSWER` in a container of its own.

    Returns:
        None for exit code 0; for 1 and 2 the first line of what it says on stderr.

    Raises:
        CheckerError: it ended in any other way, or does not compile. Nothing is said of the program.
    """
    files = (
        File("case.input", output.given),
        File("case.output", output.printed),
        File("case.answer", output.expected),
    )
    program = replace(checker.program, arguments=tuple(f"{PROGRAM_FOLDER}/{file.name}" for file in files))
    raw = run_alone(program, checker.limits, files=files, cpu=cpu)
    if isinstance(raw, Compilation):
        raise CheckerError(f"The checker does not compile: {raw.message[:_SHOWN]}")
    report = report_of_process(raw, checker.limits)
    said = next(iter(scrub_bytes(raw.stderr).strip().splitlines()), "")[:_SHOWN]
    if raw.limit is None and raw.exit_code == 0:
        return None
    if raw.limit is None and raw.exit_code in _WRONG_ANSWERS:
        return said or "the checker refuses the output"
    raise CheckerError(f"The checker failed, so this output was not judged: {report.detail}. Correct the checker.")
