"""Compares by a checker program, which is given the whole output at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.sandbox.comparing import Comparison
from afterburner.sandbox.errors import CheckerError
from afterburner.sandbox.types import KEPT_OUTPUT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.sandbox.comparing import Expected


class CustomComparison(Comparison):
    """Collects the output, and has the checker program look at it when it has ended."""

    def __init__(
        self, expected: Expected, check: Callable[[bytes, bytes], str | None], *, accepts_equal: bool = False
    ) -> None:
        """`check` is given the output and the expected one, and says what is wrong, if anything is.

        It is not asked about equal ones where `accepts_equal` says that they are right.
        """
        super().__init__(expected)
        self._check = check
        self._accepts_equal = accepts_equal
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
        printed, expected = bytes(self._printed), self._expected.piece(0, self._expected.size)
        return None if self._accepts_equal and printed == expected else self._check(printed, expected)
