"""Says whether two outputs mean the same for a problem."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from afterburner.sandbox.checkers import Custom, Lines, comparison
from afterburner.sandbox.custom_checker import CheckedOutput, run_checker

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox
    from afterburner.sandbox.checkers import Checker


class OutputJudge:
    """Judges outputs by a problem's checker. What it said of an output is remembered, as many solutions print it.

    An output that is the expected one byte for byte is right without asking.

    Attributes:
        lines_suffice: whether all outputs that were accepted have the expected lines, so that timed runs can be judged
            without a checker program.
    """

    def __init__(self, sandbox: Sandbox, checker: Checker) -> None:
        self.lines_suffice = True
        self._sandbox = sandbox
        self._checker = checker
        self._known: dict[bytes, bool] = {}

    def accepts(self, given: bytes, printed: bytes, expected: bytes) -> bool:
        """Whether an output is right.

        Raises:
            CheckerError: the checker program failed.
            AfterburnerError: as `Sandbox.run`.
        """
        if printed == expected:
            return True
        key = b"".join(hashlib.sha256(each).digest() for each in (given, printed, expected))
        if key not in self._known:
            self._known[key] = self._agrees(self._checker, given, printed, expected)
            if self._known[key] and not self._agrees(Lines(), given, printed, expected):
                self.lines_suffice = False
        return self._known[key]

    def _agrees(self, checker: Checker, given: bytes, printed: bytes, expected: bytes) -> bool:
        def check(custom: Custom, printed: bytes, expected: bytes) -> str | None:
            return run_checker(self._sandbox.run_alone, custom, CheckedOutput(given, printed, expected))

        compared = comparison(checker, expected, check)
        compared.feed(printed)
        return compared.finish() is None
