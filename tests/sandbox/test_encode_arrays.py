"""The canonical encoding of what numpy, pandas and torch make: as exact as that of Python's own values."""

from __future__ import annotations

import functools
import importlib.util
import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from afterburner.sandbox.driver import value_encoder
from afterburner.sandbox.driver.value_encoder import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DIGITS = np.arange(6.0)
DAYS = ["2024-01-01", "2024-01-02"]
STRANGE_NAN = np.frombuffer(struct.pack("<Q", 0xFFF8_0000_0000_0001), "<f8")


class Tagged(np.ndarray):  # type: ignore[type-arg]
    """An array that lies about all of itself."""

    tag = "a"

    @property
    def shape(self) -> Any:  # type: ignore[override]
        raise AssertionError

    dtype = flags = __array_interface__ = nbytes = shape  # type: ignore[assignment]

    def tobytes(self, *_: object) -> bytes:  # type: ignore[override]
        raise AssertionError

    tolist = ravel = view = __getitem__ = __ne__ = __eq__ = __len__ = tobytes  # type: ignore[assignment]


class Frame(pd.DataFrame):
    """A frame that lies likewise."""

    @property
    def columns(self) -> Any:
        raise AssertionError

    index = values = dtypes = shape = columns  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


def tagged(values: Sequence[float]) -> Any:
    return np.ndarray.view(np.array(values), Tagged)


def drawn(count: int) -> Any:
    generator = np.random.default_rng(1)
    generator.random(count)
    return generator


def changed(frame: Any, **attributes: object) -> Any:
    for name, value in attributes.items():
        setattr(frame, name, value)
    return frame


def table(**columns: object) -> pd.DataFrame:
    return pd.DataFrame(columns)


DIFFERENT: list[tuple[Callable[[], object], Callable[[], object]]] = [
    (lambda: np.array([1, 2]), lambda: [1, 2]),
    (lambda: np.array([1, 2]), lambda: np.array([1, 2], "int32")),
    (lambda: np.array([1, 2]), lambda: np.array([[1, 2]])),
    (lambda: np.array([1.0]), lambda: np.array([1.0], ">f8")),
    (lambda: np.array([0.0]), lambda: np.array([-0.0])),
    (lambda: np.array([np.nan]), lambda: np.array([np.inf])),
    (lambda: np.array([1 + 2j]), lambda: np.array([1 + 3j])),
    (lambda: np.array([1], object), lambda: np.array([True], object)),
    (lambda: np.array(["a"]), lambda: np.array(["a"], "U2")),
    (lambda: np.array(["a"], np.dtypes.StringDType()), lambda: np.array(["b"], np.dtypes.StringDType())),
    (lambda: np.array(DAYS, "M8[D]"), lambda: np.array(DAYS, "M8[s]")),
    (lambda: np.array([(1, 2)], [("a", int), ("b", int)]), lambda: np.array([(1, 2)], [("a", int), ("c", int)])),
    (lambda: np.array([(1, [2])], [("a", int), ("b", object)]), lambda: np.array([(1, [3])], "i8,O")),
    (lambda: np.zeros(3), lambda: np.broadcast_to(np.zeros(1), 3)),
    (lambda: np.zeros(3), lambda: np.zeros(6)[::2]),
    (lambda: np.zeros((2, 2)), lambda: np.zeros((3, 3))[1:, 1:]),
    (lambda: np.zeros(1000), lambda: np.array([0.0] * 999 + [1])),
    (lambda: np.rec.array([(1,)], [("a", int)]), lambda: np.array([(1,)], [("a", int)])),
    (lambda: np.float64(1), lambda: 1.0),
    (lambda: np.float64(1), lambda: np.float32(1)),
    (lambda: np.float32(1), lambda: np.array(np.float32(1))),
    (lambda: np.datetime64(50, "s"), lambda: np.datetime64(50, "ms")),
    (lambda: np.bool_(1), lambda: True),
    (lambda: np.longdouble(1) / 3, lambda: np.longdouble(1 / 3)),
    (lambda: np.dtype("f8"), lambda: np.dtype("f4")),
    (lambda: np.ma.array([1, 2], mask=[0, 1]), lambda: np.ma.array([1, 2], mask=[0, 0])),
    (lambda: np.ma.array([1, 2], mask=[0, 1]), lambda: np.ma.array([1, 2], mask=[0, 1], fill_value=7)),
    (lambda: tagged([1]), lambda: tagged([2])),
    (lambda: tagged([1]), lambda: np.array([1.0])),
    (lambda: drawn(1), lambda: drawn(2)),
    (lambda: np.random.RandomState(1), lambda: np.random.RandomState(2)),
    (lambda: np.random.PCG64(1), lambda: np.random.MT19937(1)),
    # Who writes into one of two that share memory changes the other.
    (lambda: [DIGITS, DIGITS], lambda: [DIGITS, DIGITS.copy()]),
    (lambda: [DIGITS, DIGITS[:]], lambda: [DIGITS, DIGITS.copy()]),
    (lambda: [DIGITS, DIGITS[1:]], lambda: [DIGITS, np.arange(1.0, 6)]),
    (lambda: [DIGITS, DIGITS[::-1]], lambda: [DIGITS, DIGITS[::-1].copy()]),
    (lambda: table(a=[1, 2]), lambda: table(a=[1, 2.0])),
    (lambda: table(a=[1, 2]), lambda: table(a=[1, 3])),
    (lambda: table(a=[1], b=[2]), lambda: table(b=[2], a=[1])),
    (lambda: pd.RangeIndex(2), lambda: pd.Index([0, 1])),
    (lambda: table(a=[1]), lambda: table(a=[1])["a"]),
    (lambda: table(a=[1])["a"], lambda: table(a=[1])["a"].rename("b")),
    (lambda: table(a=[1, None]), lambda: table(a=pd.array([1, None], "Int64"))),
    (lambda: pd.array([1, None], "Int64"), lambda: pd.array([1, 2], "Int64")),
    (lambda: pd.array([1, None], "Int64"), lambda: pd.array([1, None], "Int32")),
    (lambda: pd.Series(["a"]), lambda: pd.Series(["a"], dtype=object)),
    (lambda: pd.Series(["a"]), lambda: pd.Series(["b"])),
    (lambda: pd.Series(["a"], dtype="category"), lambda: pd.Series(["b"], dtype="category")),
    (lambda: pd.Categorical(["a"], ["a", "b"]), lambda: pd.Categorical(["a"], ["a", "b"], ordered=True)),
    (lambda: pd.Series(pd.to_datetime(DAYS)), lambda: pd.Series(pd.to_datetime(DAYS).tz_localize("UTC"))),
    (lambda: pd.to_datetime(DAYS), lambda: pd.DatetimeIndex(DAYS, freq="D")),
    (lambda: pd.MultiIndex.from_product([[1], [2, 3]]), lambda: pd.MultiIndex.from_product([[1], [2, 4]])),
    (lambda: pd.interval_range(0, 2), lambda: pd.interval_range(0, 2, closed="left")),
    (lambda: pd.period_range("2024", periods=2, freq="D"), lambda: pd.period_range("2024", periods=2, freq="h")),
    (lambda: pd.Timestamp(DAYS[0]), lambda: pd.Timestamp(DAYS[0], tz="UTC")),
    (lambda: pd.Timestamp(DAYS[0]), lambda: pd.Timestamp(DAYS[1])),
    (lambda: pd.Timestamp(DAYS[0]), lambda: pd.Timestamp(DAYS[0]).to_pydatetime()),
    (lambda: pd.Timedelta(1), lambda: pd.Timedelta(2)),
    (lambda: pd.NaT, lambda: pd.NA),
    (lambda: pd.Interval(0, 1), lambda: pd.Interval(0, 1, "both")),
    (lambda: pd.offsets.Day(1), lambda: pd.offsets.Day(2)),
    (lambda: pd.CategoricalDtype(["a"]), lambda: pd.CategoricalDtype(["b"])),
    (lambda: Frame({"a": [1]}), lambda: table(a=[1])),
    (lambda: Frame({"a": [1]}), lambda: Frame({"a": [2]})),
    (lambda: table(a=[1]), lambda: changed(table(a=[1]), attrs={"unit": "s"})),
]

SAME: list[tuple[Callable[[], object], Callable[[], object]]] = [
    (lambda: np.array([np.nan]), STRANGE_NAN.copy),
    (lambda: np.array([np.nan + 1j]), lambda: np.array([STRANGE_NAN[0] + 1j])),
    (lambda: DIGITS.reshape(2, 3).copy("C"), lambda: DIGITS.reshape(2, 3).copy("F")),
    (lambda: np.array([1.0]), lambda: np.array([1.0, 2.0])[:1]),
    (lambda: np.split(DIGITS, 2), lambda: [DIGITS[:3].copy(), DIGITS[3:].copy()]),
    (lambda: np.zeros((), "i1,f8"), lambda: np.ndarray((), "i1,f8", b"\0" * 9).copy()),
    (lambda: np.ones(2, np.longdouble), lambda: np.ones(4, np.longdouble)[:2]),
    (lambda: np.zeros(0), lambda: np.arange(0.0)),
    (lambda: table(a=[1], b=[2]), lambda: table(a=[1]).assign(b=[2])),  # one block or two
    (lambda: table(a=[1, 2]), lambda: table(a=[1, 2, 3]).head(2)),
    (lambda: pd.Index(["a", "b"]), lambda: (found := pd.Index(["a", "b"]), found.get_loc("a"))[0]),  # a cache more
]


@pytest.mark.parametrize("pair", DIFFERENT, ids=range(len(DIFFERENT)))
def test_what_a_caller_could_tell_apart_is_encoded_differently(pair: Any) -> None:
    left, right = pair
    assert_apart(left, right)


def assert_apart(left: Callable[[], object], right: Callable[[], object]) -> None:
    one, other = value_encoder.Encoder(), value_encoder.Encoder()
    assert one.encode(left()) != other.encode(right())
    assert one.opaque == other.opaque == []
    for make in (left, right):
        kept = make()
        assert value_encoder.encode(kept) == value_encoder.encode(make())
        assert len(json.loads(value_encoder.encode([kept, 1]))) == 3


@pytest.mark.parametrize("pair", SAME, ids=range(len(SAME)))
def test_what_no_caller_could_tell_apart_is_encoded_alike(pair: Any) -> None:
    left, right = pair
    assert encode(left()) == encode(right())


def test_arrays_in_sets_dictionaries_and_one_another_are_looked_into() -> None:
    inner = np.empty(1, object)
    inner[0] = [inner]
    assert b'["ref",0]' in encode(inner)
    rows = np.arange(100_000.0)
    assert encode({"a": [rows]}) != encode({"a": [rows + 1]})
    assert len(encode([rows] * 50)) < 20_000


class Meta(type):
    """A metaclass that answers every question about its classes."""

    def refuse(cls, *_: object) -> Any:
        raise AssertionError

    __hash__ = __eq__ = __instancecheck__ = __subclasscheck__ = __getattribute__ = refuse  # type: ignore[assignment]


@pytest.mark.parametrize("base", [object, list])
def test_no_code_of_a_class_is_run(base: type) -> None:
    body = {"__module__": "m", **dict.fromkeys(("__eq__", "__hash__", "__getattribute__", "__len__"), Meta.refuse)}
    hostile = type.__new__(Meta, "Hostile", (base,), body)
    assert json.loads(encode([base.__new__(hostile)]))[1][1] == "m.Hostile"


def tensors() -> tuple[list[tuple[Any, Any]], list[tuple[Any, Any]]]:
    """Pairs of tensors that differ, and pairs that do not."""
    torch = importlib.import_module("torch")
    rows = torch.arange(6.0)
    needing = functools.partial(torch.ones, 2, requires_grad=True)

    def with_gradient(factor: float) -> Any:
        value = needing()
        (value * factor).sum().backward()
        return value

    different = [
        (lambda: torch.ones(2), lambda: torch.zeros(2)),
        (lambda: torch.ones(2), lambda: torch.ones(2, dtype=torch.float16)),
        (lambda: torch.ones(2), lambda: torch.ones(2, 1)),
        (lambda: torch.ones(2), lambda: np.ones(2, "f4")),
        (lambda: torch.zeros(1), lambda: -torch.zeros(1)),
        (lambda: torch.ones(2), needing),
        (needing, lambda: torch.nn.Parameter(torch.ones(2))),
        (lambda: with_gradient(2), lambda: with_gradient(3)),
        (lambda: torch.ones(1, dtype=torch.bfloat16), lambda: torch.ones(1, dtype=torch.bfloat16) * 2),
        (lambda: torch.tensor([1 + 2j]), lambda: torch.tensor([1 - 2j])),
        (lambda: [rows, rows[1:]], lambda: [rows, rows[1:].clone()]),
        (lambda: torch.float32, lambda: torch.float64),
        (lambda: torch.Size([1]), lambda: (1,)),
        (lambda: torch.Generator().manual_seed(1), lambda: torch.Generator().manual_seed(2)),
    ]
    same = [
        (lambda: torch.full((1,), float("nan")), lambda: torch.full((1,), -float("nan"))),
        (lambda: rows.reshape(2, 3), lambda: rows.reshape(2, 3).T.contiguous().T),
        (lambda: torch.tensor([1 - 2j]), lambda: torch.tensor([1 + 2j]).conj()),
    ]
    return different, same


# Torch is too large to be a dependency of the tests, so this is tested where it happens to be.
if importlib.util.find_spec("torch") is not None:

    def test_tensors_are_told_apart_as_exactly() -> None:
        different, same = tensors()
        for left, right in different:
            assert_apart(left, right)
        for left, right in same:
            assert value_encoder.encode(left()) == value_encoder.encode(right())
        encoder = value_encoder.Encoder()
        encoder.encode(importlib.import_module("torch").ones(2).to_sparse())
        assert encoder.opaque
