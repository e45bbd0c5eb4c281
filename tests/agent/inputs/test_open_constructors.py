"""Objects whose constructors take any number of arguments, by position or by name."""

from __future__ import annotations

from typing import Any

import pytest

from afterburner.agent.inputs.inside.call_parts import is_made_whole, record_with, taken_attributes
from afterburner.agent.inputs.inside.container_kinds import NotBuildableError


class All:
    """Keeps what it is given by position as it is."""

    def __init__(self, *checks: Any, error: str = "") -> None:
        self._checks, self.error = checks, error


class Sized:
    """Takes something before that, and more by name."""

    def __init__(self, size: int, *parts: int, **options: bool) -> None:
        self.size, self.parts = size, parts
        self.is_strict = options.get("strict", False)


class Ordered:
    """What stands before has no attribute of its name."""

    def __init__(self, first: int = 0, *rest: int) -> None:
        self.rest, self.sum = rest, first + sum(rest)


class Squares:
    """Keeps something else under the parameter's name."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = tuple(number * number for number in numbers)


def test_what_is_given_by_position_is_varied() -> None:
    both = All(1, 2, error="no")
    assert taken_attributes(both) == ["_checks", "error"]
    assert is_made_whole(both)
    fewer = record_with(both, {"_checks": (2,)})
    assert (type(fewer), fewer._checks, fewer.error) == (All, (2,), "no")
    larger = record_with(Sized(3, 1, 2), {"size": 4})
    assert vars(larger) == {"size": 4, "parts": (1, 2), "is_strict": False}
    assert record_with(Sized(3, 1, 2), {"parts": ()}).size == 3


@pytest.mark.parametrize(
    ("value", "changed"),
    [
        (Sized(3, 1, strict=True), {"size": 4}),
        (Ordered(1, 2, 3), {"rest": (3,)}),
        (Squares(2, 3), {"numbers": (4,)}),
        (Sized(3, 1), {"is_strict": True}),
    ],
    ids=["made by an option", "what stands before is not known", "not what was given", "an option"],
)
def test_one_that_the_constructor_would_make_another_way_is_left_as_it_is(value: Any, changed: dict[str, Any]) -> None:
    with pytest.raises(NotBuildableError):
        record_with(value, changed)
