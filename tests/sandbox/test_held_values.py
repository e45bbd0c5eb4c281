"""Whether what modules hold is known again, and known to have changed, without a question to it."""

from __future__ import annotations

import collections
import enum
import fractions
import pathlib
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.sandbox.driver import held_values
from afterburner.sandbox.driver.held_values import HeldValues

if TYPE_CHECKING:
    from collections.abc import Callable


class Colour(enum.Enum):
    RED = "red"


Kind = type("Kind", (tuple,), {})  # with attributes of its own


@dataclass
class Rate:
    rate: Any


class Slotted:
    __slots__ = ("empty", "rate")

    def __init__(self, rate: Any) -> None:
        self.rate = rate


class Asked:
    """Runs code wherever it is asked for anything."""

    asked = 0

    def __hash__(self) -> int:
        Asked.asked += 1
        return 1

    def __eq__(self, other: object) -> bool:
        Asked.asked += 1
        return self is other


def known(value: object) -> bool:
    """Whether the digest of a value is found again at the next look."""
    held = HeldValues()
    held.keep("name", value, "digest")
    held.look_again()
    return held.digest_of("name", value) == "digest"


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([1, {"a": (2, [3])}, {4}], id="containers"),
        pytest.param(Rate([Rate(1)]), id="objects"),
        pytest.param([Slotted([1])], id="slots"),
        pytest.param(Kind([Rate(1)]), id="a kind of tuple"),
        pytest.param([Colour.RED, fractions.Fraction(1, 2), pathlib.PurePosixPath("a")], id="of the library"),
        pytest.param({"lock": threading.Lock(), "made": [].append, "called": len}, id="locks and methods"),
        pytest.param(collections.OrderedDict(a=[1]), id="an ordered dictionary"),
        pytest.param(collections.deque([1], maxlen=3), id="a deque"),
    ],
)
def test_what_does_not_change_is_known_again(value: object) -> None:
    assert known(value)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([iter([1])], id="what cannot be looked into"),
        pytest.param(list(range(5_000)), id="long"),
        pytest.param([list(range(90)) for _ in range(90)], id="long altogether"),
    ],
)
def test_what_would_take_long_or_may_change_unseen_is_not_kept(value: object) -> None:
    assert not known(value)


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda: Slotted([1]), lambda value: value.rate.append(2)),
        (lambda: Slotted(1), lambda value: setattr(value, "empty", 2)),
        (lambda: collections.deque([1, 2]), lambda value: value.__init__([1, 2], 5)),
        (lambda: collections.OrderedDict(a=1, b=2), lambda value: value.move_to_end("a")),
        (lambda: collections.OrderedDict(a=1), lambda value: value.update(a=2)),
    ],
)
def test_a_change_is_seen(make: Callable[[], Any], change: Callable[[Any], object]) -> None:
    held, value = HeldValues(), make()
    held.keep("name", value, "digest")
    assert held.digest_of("name", value) == "digest"
    change(value)
    held.look_again()
    assert held.digest_of("name", value) is None


def test_no_code_of_a_value_is_run() -> None:
    value = [collections.OrderedDict({Asked(): 1}), {Asked(): [2]}, {Asked()}, Rate(Asked())]
    Asked.asked = 0
    assert known(value)
    assert Asked.asked == 0


def test_what_is_gone_is_not_held_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_values, "_MOST_PARTS", 50)
    held = HeldValues()
    for number in range(500):
        held.keep("name", [[number]], "digest")
        held.look_again()
    assert len(held._parts) < 200
