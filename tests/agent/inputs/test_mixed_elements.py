"""Elements of another kind, from other real calls, within a sequence."""

from __future__ import annotations

from collections import namedtuple

from afterburner.agent.inputs.inside.call_parts import Place, places, root_of
from afterburner.agent.inputs.inside.mixed_elements import ElementKinds

Pair = namedtuple("Pair", "left right")  # noqa: PYI024 - as user code has it
CALLS = [([1, 2.5], "xy"), ([[3], (4,)], "z"), ((None,), ["one"]), ([], Pair(1, 2))]
ROOTS = [root_of(call, {"more": [each]}) for call, each in zip(CALLS, (True, "no", 2, ()), strict=True)]
KINDS = ElementKinds(ROOTS)


def _argument(call: int, label: str) -> Place:
    return next(place for place in places(ROOTS[call]) if place.site == (label,))


def test_an_element_of_each_other_type_stands_last_first_and_behind() -> None:
    made = [value for _, value in KINDS.mixed(_argument(0, "0"))]
    assert made == [each for other in ([3], (4,), None) for each in ([1, other], [other, 2.5], [1, 2.5, other])], (
        "none of a type that the list has"
    )
    assert [value for _, value in KINDS.mixed(_argument(2, "0"))][:3] == [(1,), (1,), (None, 1)], "a tuple stays one"
    assert next(value for _, value in KINDS.mixed(_argument(1, "more"))) == [True], "by name likewise"


def test_of_texts_records_and_what_is_empty_there_is_none() -> None:
    assert not list(KINDS.mixed(_argument(0, "1")))
    assert not list(KINDS.mixed(_argument(3, "0")))
    assert not list(KINDS.mixed(_argument(3, "1"))), "each place of a named tuple has a kind of its own"
