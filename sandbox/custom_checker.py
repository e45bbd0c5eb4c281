"""A checker that is a program itself: it may be wrong or hostile, so it runs in a container, and in one of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.sandbox.comparing import Comparison, Expected
from afterburner.sandbox.container import PROGRAM_FOLDER
from afterburner.sandbox.errors import CheckerError
from afterburner.sandbox.judge import scrub
from afterburner.sandbox.launch import File
from afterburner.sandbox.types import KEPT_OUTPUT_BYTES, Compilation
from afterburner.sandbox.verdicts import report_of_process

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.sandbox.checkers import Custom
    from afterburner.sandbox.sandbox import Sandbox

_WRONG_ANSWERS = (1, 2)  # exit codes, as testlib has them: a wrong answer, a wrong format
_SHOWN = 300


class CustomComparison(Comparison):
    """Collects the output, and has the checker program look at it when it has ended."""

    def __init__(self, expected: Expected, check: Callable[[bytes, bytes], str | None]) -> None:
        """`check` is given the output and the expected one, and says what is wrong, if anything is."""
        super().__init__(expected)
        self._check = check
        self._printed = bytearray()
        self._length = 0

    def _take(self, printed: bytes) -> None:
        self._length += len(printed)
        self._printed += printed[: max(0, KEPT_OUTPUT_BYTES - len(self._printed))]

    def finish(self) -> str | None:
        """See `Comparison.finish`.

        Raises:
            CheckerError: the checker gave no verdict.
        """
        if max(self._length, self._expected.size) > KEPT_OUTPUT_BYTES:
            raise CheckerError(
                f"A checker program is given outputs of up to {KEPT_OUTPUT_BYTES} bytes, and this one has "
                f"{max(self._length, self._expected.size)}. Lower the output limit, or compare by lines or tokens."
            )
        return self._check(bytes(self._printed), self._expected.piece(0, self._expected.size))


def run_checker(  # noqa: PLR0913 - three files, and how they are looked at
    sandbox: Sandbox, checker: Custom, given: bytes, printed: bytes, expected: bytes, *, cpu: int | None = None
) -> str | None:
    """Runs `checker INPUT OUTPUT ANSWER` in a container of its own.

    Returns:
        None for exit code 0; for 1 and 2 the first line of what it says on stderr.

    Raises:
        CheckerError: it ended in any other way, or does not compile. Nothing is said of the program.
    """
    files = (File("case.input", given), File("case.output", printed), File("case.answer", expected))
    program = replace(checker.program, arguments=tuple(f"{PROGRAM_FOLDER}/{file.name}" for file in files))
    raw = sandbox.run_alone(program, checker.limits, files=files, cpu=cpu)
    if isinstance(raw, Compilation):
        raise CheckerError(f"The checker does not compile: {raw.message[:_SHOWN]}")
    report = report_of_process(raw, checker.limits)
    said = next(iter(scrub(raw.stderr).strip().splitlines()), "")[:_SHOWN]
    if raw.limit is None and raw.exit_code == 0:
        return None
    if raw.limit is None and raw.exit_code in _WRONG_ANSWERS:
        return said or "the checker refuses the output"
    raise CheckerError(f"The checker failed, so this output was not judged: {report.detail}. Correct the checker.")
