"""Cases that are calls with JSON arguments: the host writes and compares JSON text, and evaluates nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.inputs.inside import json_call
from afterburner.agent.inputs.inside.json_call import rendered
from afterburner.sandbox import Program, TestCase, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class JsonCall:
    """One call of a solution's function: its JSON arguments, and the JSON value that it has to return.

    A tuple counts as a list, and a float as the integer that it equals.

    Raises:
        UsageError: JSON has no such value.
    """

    arguments: Sequence[Any]
    expected: Any

    def __post_init__(self) -> None:
        """Make the arguments a list, and check that JSON can hold all of it."""
        object.__setattr__(self, "arguments", list(self.arguments))
        try:
            json.dumps(self.arguments, allow_nan=False)
            rendered(self.expected)
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"A case that is a call holds what JSON has no value for: {error}.") from None

    @property
    def test_case(self) -> TestCase:
        """The call as the sandbox takes it: the arguments on stdin, and what has to be printed."""
        return TestCase(json.dumps(self.arguments).encode(), f"{rendered(self.expected)}\n".encode())


def calling_program(code: str, preamble: str, function: str) -> Program:
    """The program that calls a function of a solution with what it reads from stdin, and prints what it returns."""
    return Program("python", f"{_caller()}\n\nanswer({code!r}, {preamble!r}, {function!r})\n")


@cache
def _caller() -> str:
    """The text of the program; it stands by itself, so that a sandbox on another machine can run it, too."""
    return Path(json_call.__file__).read_text("utf-8")
