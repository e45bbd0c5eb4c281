"""An OrderedDict is told with its order, and without running code of its keys."""

from __future__ import annotations

import collections
import json

import pytest
from sortedcontainers import SortedDict  # type: ignore[import-untyped]

from afterburner.sandbox.driver.value_encoder import Encoder


class Told:
    """A key whose code tells that it was run."""

    asked = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        Told.asked += 1
        return self.number % 3

    def __eq__(self, other: object) -> bool:
        Told.asked += 1
        return isinstance(other, Told) and other.number == self.number


class Queue(collections.OrderedDict[object, object]):
    """One with attributes, which the collector visits as well."""


@pytest.mark.parametrize("kind", [collections.OrderedDict, Queue])
@pytest.mark.parametrize("size", [1, 2, 3, 40])
def test_the_order_of_keys_of_the_programs_own_classes_is_told_without_their_code(
    kind: type[collections.OrderedDict[object, object]], size: int
) -> None:
    value = kind((Told(number), number) for number in range(size))
    first, *_, last = [*value, next(iter(value))]
    if kind is Queue:
        vars(value).update(first=last, last=first)
    value.move_to_end(first)
    value["text"] = 0
    value.move_to_end("text", last=False)
    wanted = [(key.number if isinstance(key, Told) else key) for key in value]
    Told.asked = 0
    encoder = Encoder()
    told = json.loads(encoder.encode(value))
    assert Told.asked == 0
    assert encoder.opaque == []
    items = (told if kind is collections.OrderedDict else told[2])[1:]
    assert [key if isinstance(key, str) else key[2][2] for _, key, _ in items] == wanted


def test_how_a_dictionary_was_filled_that_shows_its_keys_in_order_does_not_count() -> None:
    one, other = SortedDict({3: "c", 1.5: "a"}), SortedDict({1.5: "a", 3: "c"})
    assert Encoder().encode(one) == Encoder().encode(other)
    other[3] = "d"
    assert Encoder().encode(one) != Encoder().encode(other)
    assert Encoder().encode({3: "c", 1: "a"}) != Encoder().encode({1: "a", 3: "c"})


def test_keys_of_the_programs_own_classes_are_not_put_in_order() -> None:
    value = SortedDict(lambda key: -key.number, {Told(1): "a", Told(2): "b"})
    Told.asked = 0
    assert json.loads(Encoder().encode(value))
    assert Told.asked == 0
