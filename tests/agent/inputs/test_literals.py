"""Values as Python code: what is written can be run, and gives the value again."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import pathlib
import types
import uuid
import zoneinfo
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from afterburner.agent.inputs.inside.call_literals import MAX_TEXT, LiteralWriter, call_text
from afterburner.sandbox.driver import value_encoder


@dataclasses.dataclass
class Item:
    name: str
    price: float = 0.0


class Colour(enum.Enum):
    RED = 1


class Pair(NamedTuple):
    left: int
    right: int


DAY = pd.Timestamp("2024-02-29T12:00:00")
VALUES: list[Any] = [
    [1, None, "a'b\n", b"\x00", 1.5, float("nan"), -0.0, 2**70, 1 + 2j, range(3), slice(1, None)],
    {"a": {1}, "b": frozenset(), (1,): ()},
    [collections.deque([1]), collections.OrderedDict(a=1), collections.defaultdict(list, {"a": [1]})],
    [dt.date(2024, 2, 29), dt.timedelta(days=1), dt.time(1, 2)],
    dt.datetime(2024, 3, 31, 2, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"), fold=1),
    dt.datetime(2024, 3, 31, tzinfo=dt.UTC),
    [decimal.Decimal("1.10"), fractions.Fraction(1, 3), uuid.UUID(int=7), pathlib.PosixPath("a/b")],
    [array.array("i", [1])],
    [Item("a", 1.5), Colour.RED, Pair(1, 2)],
    [np.array([1, 2]), np.array([1.5, float("nan")]), np.array([1, 2], "int8"), np.array([[True], [False]])],
    [np.array(["a", "bc"]), np.array([], "f4"), np.empty((0, 3)), np.array([1, None, "a"], object), np.array(3)],
    [np.array(["2024-02-29", "NaT"], "M8[D]"), np.array([1, 2], "m8[s]"), np.array([1, 2], ">i4")],
    [np.float64(1.5), np.int64(3), np.bool_(True), np.str_("a"), np.float32("nan"), np.datetime64("2024-02-29")],
    pd.DataFrame({"a": [1, None], "b": ["x", None], "c": [1, 2]}),
    pd.DataFrame({"a": np.array([1, 2], "int8"), "when": [DAY, pd.NaT]}, index=["x", "y"]),
    pd.DataFrame([[1, 2.5]], columns=["a", "a"]),
    pd.DataFrame([[1, 2], [3, 4]]),
    pd.DataFrame({"a": []}),
    pd.DataFrame({"a": [1, 2, 3]}).iloc[1:],
    pd.DataFrame({"k": pd.Categorical(["a", "b"], ["b", "a"], ordered=True), "n": pd.array([1, None], "Int64")}),
    pd.DataFrame({"a": [1, 2]}, index=pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["k", None])),
    [pd.Series([1.5, None], name="s"), pd.Series([], dtype="float32"), pd.Series(["a"], index=[7])],
    [pd.Index([1, 2], name="n"), pd.date_range("2024-01-01", periods=3, freq="D"), pd.RangeIndex(1, 9, 2)],
    [DAY, DAY.tz_localize("UTC"), pd.Timedelta(hours=1), pd.NaT, pd.NA, pd.Period("2024-02", "M")],
]  # fmt: skip
NAMES = {
    "np": np,
    "pd": pd,
    "datetime": dt,
    "zoneinfo": zoneinfo,
    **{each.__name__: each for each in (Item, Colour, Pair, collections.deque, collections.OrderedDict)},
    **{each.__name__: each for each in (collections.defaultdict, decimal.Decimal, fractions.Fraction, uuid.UUID)},
    **{each.__name__: each for each in (pathlib.PosixPath, array.array)},
}


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_what_is_written_gives_the_value_again(value: Any) -> None:
    text = LiteralWriter([]).text(value)
    again = types.FunctionType(compile(text, "written", "eval"), NAMES)()
    assert value_encoder.encode(again) == value_encoder.encode(value), text


def test_frames_read_as_one_would_write_them() -> None:
    frame = pd.DataFrame({"a": [1, None]})
    assert call_text("f", "function", [frame], {}, {}) == "f(pd.DataFrame({'a': [1.0, None]}))"
    assert call_text("f", "function", [np.array([1, 2], "int8")], {}, {}) == "f(np.array([1, 2], dtype='int8'))"


class Cart:
    def __init__(self, prices: list[int], owner: str = "") -> None:
        self.prices = prices
        self.owner = owner


class Sorted:
    def __init__(self, prices: list[int]) -> None:
        self.prices = sorted(prices)


def test_objects_are_written_as_their_constructor_makes_them() -> None:
    cart, odd = Cart([3, 1], "o"), Sorted([1, 3])
    written = LiteralWriter([]).text
    assert written(cart) == "Cart(prices=[3, 1], owner='o')"
    assert written(odd) == "Sorted(prices=[1, 3])"
    odd.prices.reverse()  # what the constructor would not make
    assert written(odd) == "<Sorted with prices=[3, 1]>"
    assert LiteralWriter([], made="made").text(odd) == "made(Sorted, prices=[3, 1])"
    assert call_text("Cart.total", "method", [cart, 2], {}, {}) == "Cart(prices=[3, 1], owner='o').total(2)"


def test_what_is_too_large_or_not_known_is_told_in_brackets() -> None:
    written = LiteralWriter([]).text
    assert written(np.zeros(1000)) == "<ndarray of shape (1000,)>"
    assert written(pd.DataFrame({"a": range(1000)})) == "<DataFrame of shape (1000, 1)>"
    assert written(np.zeros(2, "i4,f8")) == "<ndarray of shape (2,)>"
    assert written(object()) == "<object>"


def test_one_nan_in_two_places_is_written_once() -> None:
    nan = float("nan")
    assert call_text("f", "function", [[nan, float("nan")], nan], {}, {}) == "a = float('nan'); f([a, float('nan')], a)"


def test_what_an_iterator_has_left_is_written_and_stays() -> None:
    row = [1]
    numbers = iter([0, row, row, (2,)])
    next(numbers)
    text = call_text("f", "function", [numbers, row], {}, {})
    assert text == "a = [1]; f(iter([a, a, (2,)]), a)"
    assert list(numbers) == [row, row, (2,)]


def test_a_long_call_keeps_a_part_of_each_argument() -> None:
    text = call_text(
        "Cart.add", "method", (Item("x" * 5_000), list(range(3_000)), "the last"), {"key": 7}, {"m": [0] * 900}
    )
    assert len(text) <= MAX_TEXT
    assert text.startswith("m = [0, 0, ")
    assert "; Item(name='xxx" in text
    assert ").add([0, 1, 2, 3" in text
    assert text.endswith(", 'the last', key=7)")
    assert text.count("…") == 4  # the middle of the three long ones, and the rest of one list


class Reference(collections.namedtuple("Reference", "host path")):  # noqa: PYI024, SLOT002 - as users write it
    """A named tuple with an attribute beside its items."""

    def __new__(cls, host: str, path: str, encoding: str = "utf-8") -> Any:
        made = super().__new__(cls, host, path)
        made.encoding = encoding  # type: ignore[attr-defined]
        return made


def test_an_attribute_of_a_named_tuple_is_written_unless_it_is_the_default() -> None:
    assert LiteralWriter([]).text(Reference("h", "/")) == "Reference('h', '/')"
    assert LiteralWriter([]).text(Reference("h", "/", "ascii")) == "Reference('h', '/', encoding='ascii')"
