"""Arrays and frames as inputs: other contents, other types, other layouts in memory, and how they are written."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pandas as pd
import pytest

from afterburner.agent.inputs.inside.call_literals import LiteralWriter
from afterburner.agent.inputs.inside.object_edges import object_edges
from afterburner.sandbox.driver import value_encoder

DAYS = pd.date_range("2024-01-01", periods=4)
FRAME = pd.DataFrame({"n": [1, 2, 3, 4], "x": [1.5, 2.0, None, 4.0], "name": ["a", "b", "a", "c"], "day": DAYS})
VALUES: list[Any] = [FRAME, *(FRAME[name] for name in FRAME), np.arange(6.0).reshape(2, 3), np.arange(4), np.array(3)]


def _edges(value: Any) -> dict[str, Any]:
    return dict(object_edges(value))


def test_arrays_come_with_gaps_backwards_and_read_only() -> None:
    array = np.arange(6.0).reshape(2, 3)
    found = _edges(array)
    gaps, back, fixed = (found[kind] for kind in ("gaps in memory", "elements backwards in memory", "read-only"))
    assert not gaps.flags.c_contiguous
    assert not gaps.flags.f_contiguous
    assert back.strides[0] < 0
    assert not fixed.flags.writeable
    assert all((made == array).all() and made.dtype == array.dtype for made in (gaps, back, fixed))


def test_frames_come_with_rows_in_another_order_and_other_indexes() -> None:
    found = _edges(FRAME)
    assert found["rows shuffled"].index.tolist() == [1, 3, 0, 2]
    assert found["index of texts"].index.tolist() == ["r0", "r1", "r2", "r3"]
    assert isinstance(found["index of dates"].index, pd.DatetimeIndex)
    assert found["index of pairs"].index.nlevels == 2
    assert list(found["columns in another order"].columns) == ["day", "name", "x", "n"]


@pytest.mark.parametrize(
    ("kind", "column", "dtype"),
    [
        ("floats for integers", "n", "float64"),
        ("integers for floats", "x", "int64"),
        ("nullable integers", "n", "Int64"),
        ("short floats", "x", "float32"),
        ("categories", "name", "category"),
        ("objects for values", "n", "object"),
    ],
)
def test_columns_come_as_other_types(kind: str, column: str, dtype: str) -> None:
    changed = _edges(FRAME)[kind]
    assert changed[column].dtype == dtype
    assert _edges(FRAME[column])[kind].dtype == dtype
    assert changed["day"].dtype == (dtype if kind == "objects for values" else FRAME["day"].dtype)


def test_values_are_missing_where_they_can_be() -> None:
    found = [changed for kind, changed in object_edges(FRAME) if kind == "missing value"]
    assert [changed.columns[changed.iloc[0].isna()].tolist() for changed in found] == [[name] for name in FRAME]
    assert _edges(FRAME)["missing date"]["day"].isna().tolist() == [True, False, False, False]
    assert _edges(FRAME)["nullable integers"]["n"].isna().tolist() == [True, False, False, False]


def test_what_a_frame_cannot_have_is_left_out() -> None:
    numbers = pd.DataFrame([[1, 2.5], [3, 4.5]], columns=["same", "same"])
    found = _edges(numbers)
    assert {"rows shuffled", "index of texts", "empty"} <= found.keys()
    assert not {"categories", "missing date"} & found.keys()
    assert "empty" in _edges(numbers.iloc[:0])


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_what_is_written_of_them_gives_them_again(value: Any) -> None:
    for kind, changed in object_edges(value):
        text = LiteralWriter([]).text(changed)
        again = types.FunctionType(compile(text, "written", "eval"), {"np": np, "pd": pd})()
        assert value_encoder.encode(again) == value_encoder.encode(changed), (kind, text)
        if isinstance(value, np.ndarray):
            assert again.flags.c_contiguous == changed.flags.c_contiguous, (kind, text)
            assert again.flags.f_contiguous == changed.flags.f_contiguous, (kind, text)
