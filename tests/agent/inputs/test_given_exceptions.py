"""Exceptions among the arguments: what their constructors take is varied, as in any object."""

from __future__ import annotations

import pytest

from afterburner.agent.inputs.inside.call_literals import LiteralWriter
from afterburner.agent.inputs.inside.call_parts import fields, is_made_whole, record_with, taken_attributes
from afterburner.agent.inputs.inside.container_kinds import NotBuildableError


class SeveralError(ValueError):
    """Its text is what it was given by position."""

    def __init__(self, errors: list[str] | None = None, *, code: int = 0) -> None:
        self.errors, self.code = errors or [], code


class WordedError(LookupError):
    """Its text is one that it makes, and no attribute has it."""

    def __init__(self, message: str, place: int = 0) -> None:
        super().__init__(f"{message} at {place}")
        self.place = place


class MissingError(FileNotFoundError):
    """It holds a number and names beside what Python shows of it."""

    def __init__(self, code: int) -> None:
        super().__init__(2, "none", "x")
        self.code = code


def test_one_with_other_content_shows_it_in_its_text_too() -> None:
    error = SeveralError(["late", "early"], code=3)
    assert taken_attributes(error) == ["errors", "code"]
    assert is_made_whole(error)
    changed = record_with(error, {"errors": ["early"]})
    assert (type(changed), changed.errors, changed.code) == (SeveralError, ["early"], 3)
    assert changed.args == (["early"],)
    assert str(changed) == "['early']"


def test_one_whose_text_would_be_another_is_not_made_anew() -> None:
    assert not is_made_whole(SeveralError(errors=["late"])), "it has no text"
    with pytest.raises(NotBuildableError):
        record_with(WordedError("unknown", 4), {"place": 5})


class LateError(TimeoutError, ValueError):
    """Like `OSError`, it holds more than `args`."""


class PlainError(KeyError):
    """It is made of `args` as they are."""


@pytest.mark.parametrize("kind", [ValueError, PlainError])
def test_one_without_a_constructor_of_its_own_is_varied_in_its_args(kind: type[Exception]) -> None:
    error = kind("late", 3)
    assert fields(error) == {"args": ("late", 3)}
    changed = record_with(error, {"args": ("",)})
    assert (type(changed), changed.args) == (kind, ("",))
    assert is_made_whole(error)


def test_one_of_these_that_somebody_has_marked_is_left_as_it_is() -> None:
    error = PlainError("late")
    error.where = 3  # type: ignore[attr-defined]
    assert not is_made_whole(error)
    with pytest.raises(NotBuildableError):
        record_with(error, {"where": 4})


@pytest.mark.parametrize(
    "error",
    [
        MissingError(3),
        LateError("late"),
        UnicodeDecodeError("ascii", b"", 0, 1, "x"),
        OSError(2, "none"),
        StopIteration(3),
    ],
)
def test_what_python_keeps_in_one_is_left_alone(error: Exception) -> None:
    assert fields(error) == {}


def test_a_call_is_written_as_code_that_makes_the_same_exception() -> None:
    written = LiteralWriter([]).text
    assert written(SeveralError(["late"], code=3)) == "SeveralError(['late'], code=3)"
    assert written(SeveralError(errors=["late"])) == "<SeveralError with errors=['late'], code=0>"
    assert written(PlainError("late", 3)) == "PlainError('late', 3)"
    assert written(WordedError("unknown", 4)) == "<WordedError with place=4>"
