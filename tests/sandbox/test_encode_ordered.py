"""An OrderedDict is told with its order, and without running code of its keys."""

from __future__ import annotations

import collections
import datetime as dt
import json
from typing import TYPE_CHECKING

import pytest
from sortedcontainers import SortedDict  # type: ignore[import-untyped]

from afterburner.sandbox.driver.value_encoder import Encoder

if TYPE_CHECKING:
    from collections.abc import Iterator


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


class AsFilled(SortedDict):  # type: ignore[misc]
    """One that is gone through as it was filled."""

    def __iter__(self) -> Iterator[object]:
        return dict.__iter__(self)


def negated(key: int) -> int:
    """What puts keys in the other order."""
    return -key


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
    for keys in ([1.5, 3], ["a", "b"], [("a", 1), ("a", 2)], [dt.date(2026, 1, 1), dt.date(2026, 1, 2)], range(5_000)):
        one, other = (SortedDict(dict.fromkeys(each, "c")) for each in (keys, reversed(keys)))
        other.update(dict.fromkeys(keys[:1], "c"))
        assert Encoder().encode(one) == Encoder().encode(other)
        other[keys[0]] = "d"
        assert Encoder().encode(one) != Encoder().encode(other)
    assert Encoder().encode({3: "c", 1: "a"}) != Encoder().encode({1: "a", 3: "c"})
    backwards = SortedDict(negated, {1: "a", 2: "b"})
    assert Encoder().encode(backwards) != Encoder().encode(SortedDict({1: "a", 2: "b"}))


def test_a_class_derived_from_it_may_show_how_it_was_filled() -> None:
    one, other = AsFilled({1: "a", 2: "b"}), AsFilled({2: "b", 1: "a"})
    assert list(one) != list(other)
    assert Encoder().encode(one) != Encoder().encode(other)


def test_keys_of_the_programs_own_classes_are_not_put_in_order() -> None:
    value = SortedDict(lambda key: -key.number, {Told(1): "a", Told(2): "b"})
    Told.asked = 0
    told = json.loads(Encoder().encode(value))
    assert Told.asked == 0
    assert [key[2][2] for _, key, _ in told[2][1:]] == [2, 1]
