"""LiveCodeBench's rules for a right answer: of what was printed, and of what calls returned."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from .checking import judge


def check_lines() -> None:
    """Judge what was printed: as many lines, each of which is equal, or equal as numbers one by one."""
    judge(lambda: _wrong_line, texts=True)


def check_calls() -> None:
    """Judge what calls returned: by `==`, without any tolerance."""
    judge(lambda: _wrong_call)


def _wrong_line(_given: str, output: str, answer: str) -> object:
    printed, wanted = _lines(output), _lines(answer)
    if len(printed) != len(wanted):
        return "the output has " + str(len(printed)) + " lines, and not " + str(len(wanted))
    for number, (line, other) in enumerate(zip(printed, wanted), start=1):
        if line != other and not _are_equal_numbers(line, other):
            return "line " + str(number) + " is " + repr(line[:80]) + ", and not " + repr(other[:80])
    return None


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")]


def _are_equal_numbers(line: str, other: str) -> bool:
    try:
        return [Decimal(each) for each in line.split()] == [Decimal(each) for each in other.split()]
    except InvalidOperation:
        return False


def _wrong_call(_given: object, output: list[object], answer: list[object]) -> object:
    for number, (returned, wanted) in enumerate(zip(output, answer), start=1):
        if not returned == wanted:  # noqa: SIM201 - what `==` says is the rule
            return "test " + str(number) + " returned " + repr(returned)[:80] + ", and not " + repr(wanted)[:80]
    return None if len(output) == len(answer) else "the output has another number of tests"
