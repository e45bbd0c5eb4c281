"""An OrderedDict is told with its order, and without running code of its keys."""

from __future__ import annotations

import collections
import json

import pytest

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
