"""Elements of another kind, from other real calls, within a sequence."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from afterburner.agent.inputs.inside.call_parts import places, root_of
from afterburner.agent.inputs.inside.mixed_elements import ElementKinds

if TYPE_CHECKING:
    from collections.abc import Callable

Pair = namedtuple("Pair", "left right")  # noqa: PYI024 - as user code has it
CALLS = [([1, 2.5], "xy"), ([[3], (4,)], "z"), ((None,), ["one"]), ([], Pair(1, 2))]
ROOTS = [root_of(call, {"more": [each]}) for call, each in zip(CALLS, (True, "no", 2, ()), strict=True)]
KINDS = ElementKinds(ROOTS)


def _made(call: int, label: str, returns: Callable[[Any], bool] = lambda _: True) -> list[Any]:
    root = ROOTS[call]
    place = next(place for place in places(root) if place.site == (label,))

    def holds(made: Any) -> bool:
        return returns(made[1][label] if label == "more" else made[0][int(label)])

    found = [made for _, made in KINDS.mixed(root, place, holds)]
    return [made[1][label] if label == "more" else made[0][int(label)] for made in found]


def test_an_element_of_each_other_type_stands_last_first_and_behind() -> None:
    assert _made(0, "0") == [
        each for other in ([3], (4,), None) for each in ([1, other], [other, 2.5], [1, 2.5, other])
    ], "none of a type that the list has"
    assert _made(2, "0")[:3] == [(1,), (1,), (None, 1)], "a tuple stays one"
    assert _made(1, "more")[0] == [True], "by name likewise"


def test_what_the_original_does_not_take_everywhere_is_left_out() -> None:
    """Where it stops before such an element it returns, and would not elsewhere."""
    assert _made(0, "0", lambda items: items[0] == 1) == []
    assert _made(0, "0", lambda items: None not in items) == _made(0, "0")[:6]


def test_of_texts_records_and_what_is_empty_there_is_none() -> None:
    assert not _made(0, "1")
    assert not _made(3, "0")
    assert not _made(3, "1"), "each place of a named tuple has a kind of its own"
