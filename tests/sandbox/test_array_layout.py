"""Arrays reach a function as the real call gave them: with their layout in memory, and read-only if they were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from calling import shown, verdict_on

from afterburner.sandbox import Verdict
from afterburner.sandbox.driver.call_blobs import dump_call, load_call

if TYPE_CHECKING:
    from calling import Call

TABLE = np.arange(24.0).reshape(4, 6)
RECORDS = np.zeros(5, [("id", "i4"), ("price", "f8")])


def fixed(array: Any) -> Any:
    """The array, into which nobody may write any more."""
    array.flags.writeable = False
    return array


LAYOUTS = {
    "compact": TABLE,
    "by columns": TABLE.T,
    "every second row": TABLE[::2],
    "backwards": TABLE[::-1, ::-1],
    "a column": TABLE[:, 1],
    "an inner part, turned": TABLE[1:3, 1:5].T,
    "a field of records": RECORDS["price"],
    "some records": RECORDS[1::2],
    "repeated by its layout": np.broadcast_to(np.arange(3), (2, 3)),
    "windows": np.lib.stride_tricks.sliding_window_view(np.arange(9), 3),
    "read-only": fixed(np.arange(4)),
    "read-only and by columns": fixed(TABLE.copy(order="F")),
    "read-only and backwards": fixed(TABLE.copy()[::-1]),
    "texts": np.array(["a", "bc"])[::-1],
    "dates": np.array(["2024-01-01", "NaT"], "M8[D]")[::-1],
    "another order of bytes": TABLE.astype(">f8")[::2],
}


@pytest.mark.parametrize("array", LAYOUTS.values(), ids=LAYOUTS)
def test_the_layout_of_an_array_stays(array: Any) -> None:
    [again] = load_call(dump_call([array], {}, {})).args
    assert (again.shape, again.dtype, again.strides) == (array.shape, array.dtype, array.strides)
    assert again.flags.writeable == array.flags.writeable
    assert again.tobytes() == array.tobytes()
    assert not np.shares_memory(again, array)


def test_arrays_of_objects_and_slices_of_what_is_huge_are_compact() -> None:
    objects, column = np.array([1, None, "a", 2.5], object)[::2], np.zeros((2_000, 1_000))[:, 3]
    blob = dump_call([objects, column], {}, {})
    first, second = load_call(blob).args
    assert (first.tolist(), second.strides) == ([1, "a"], (8,))
    assert len(blob) < 2 * column.nbytes


def test_frames_stay_frames_that_can_be_changed() -> None:
    frame = pd.DataFrame({"n": [1, 2, 3], "x": [0.5, 1.0, 1.5], "name": ["a", "b", None]})
    whole, part = load_call(dump_call([frame, frame.iloc[::2]["x"]], {}, {})).args
    pd.testing.assert_frame_equal(whole, frame)
    pd.testing.assert_series_equal(part, frame.iloc[::2]["x"])
    whole.loc[0, "n"] = 7
    part.iloc[0] = 2.0
    assert (whole["n"].tolist(), part.tolist()) == ([7, 2, 3], [2.0, 1.5])


def test_the_sandbox_hands_on_what_the_call_gave(call: Call) -> None:
    source = "def f(a):\n    return a.strides, a.flags.writeable, a.tolist()"
    blobs = [dump_call([LAYOUTS[name]], {}, {}) for name in ("a column", "read-only and backwards")]
    column, back = shown(call(source, *blobs))
    assert column == "returned ((48,), True, [1.0, 7.0, 13.0, 19.0])"
    assert back.startswith("returned ((-48, 8), False, [[18.0")


def test_a_rewrite_that_needs_compact_memory_is_found_out(call: Call) -> None:
    original = "def f(a):\n    return a.sum()"
    rewrite = "import numpy\ndef f(a):\n    return numpy.frombuffer(a, a.dtype).sum()"
    assert verdict_on(call, original, rewrite, dump_call([TABLE], {}, {})) == (Verdict.ACCEPTED, "")
    verdict, detail = verdict_on(call, original, rewrite, dump_call([TABLE[::2]], {}, {}))
    assert verdict is Verdict.WRONG_ANSWER
    assert "not C-contiguous" in detail
