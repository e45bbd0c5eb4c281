"""What is told of a rewrite whose floats differ: by rounding alone, by more, or somewhere deep in a large result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.agent.judge.verification.rounding import Rounding

if TYPE_CHECKING:
    from .conftest import Compare

MEAN = "def f(xs):\n    total = 0.0\n    for x in xs:\n        total += x\n    return [total, len(xs)]\n"
BACKWARDS = "def f(xs):\n    total = 0.0\n    for x in reversed(xs):\n        total += x\n    return [total, len(xs)]\n"
CALLS = "f([0.1, 0.2, 0.3])\nf([1.1, 2.2, 1e3, 0.7])\nf([1.0, 2.0])"


def test_a_rewrite_that_differs_by_rounding_alone_is_told_what_would_allow_it(compare: Compare) -> None:
    found = compare(MEAN, BACKWARDS, CALLS, rounds=0)
    assert isinstance(found, Counterexample)
    assert found.rounding is not None
    assert 0 < found.rounding.largest < 1e-14
    assert found.rounding.inputs >= 3
    assert "only rounding differs" in found.rounding.words
    assert f"--float-tolerance {found.rounding.advised_tolerance:g} allows it" in found.rounding.words


@pytest.mark.nightly
@pytest.mark.parametrize(
    "rewrite",
    [
        MEAN.replace("[total, len(xs)]", "[total * 1.01, len(xs)]"),
        BACKWARDS.replace("len(xs)]", "float(len(xs))]"),
        BACKWARDS.replace("[total,", "[total if total < 1000 else float('nan'),"),
    ],
    ids=["too far", "another type", "NaN"],
)
def test_what_differs_by_more_is_no_matter_of_rounding(compare: Compare, rewrite: str) -> None:
    found = compare(MEAN, rewrite, CALLS, rounds=0)
    assert isinstance(found, Counterexample)
    assert found.rounding is None


@pytest.mark.parametrize(
    ("largest", "advised"), [(2.2e-16, 1e-12), (4e-12, 1e-10), (1e-9, 1e-8), (9.9e-6, 1e-4), (0.0, 1e-12)]
)
def test_the_advised_tolerance_leaves_room(largest: float, advised: float) -> None:
    rounding = Rounding(largest, 1, 1)
    assert rounding.advised_tolerance == pytest.approx(advised)
    assert f"{rounding.advised_tolerance:g}" in rounding.words


ROLLING = """\
def f(xs, width):
    means = []
    for at in range(len(xs) - width + 1):
        means.append(sum(xs[at:at + width]) / width)
    return means
"""
RUNNING = """\
def f(xs, width):
    means, total = [], sum(xs[:width])
    for at in range(len(xs) - width + 1):
        means.append(total / width)
        if at + width < len(xs):
            total += xs[at + width] - xs[at]
    return means
"""
WINDOWS = "f([0.1, 0.7, float('nan'), 0.2, 0.3, 0.4, 0.9], 2)"


@pytest.mark.slow
def test_one_nan_does_not_excuse_what_follows_it(compare: Compare) -> None:
    found = compare(ROLLING, RUNNING, WINDOWS, rounds=0, float_tolerance=1e-9)
    assert isinstance(found, Counterexample)
    assert "nan" in found.actual
    assert found.rounding is None


DEEP = """\
def f(count):
    rows = [{"name": "row %d" % number, "total": number * 2} for number in range(count)]
    return rows
"""


ARRAY = "import numpy as np\ndef f(count):\n    a = np.arange(count)\n    return a.reshape(-1, 2)\n"
FRAME = """\
import pandas as pd
def f(count):
    d = pd.DataFrame({"a": range(count), "b": range(count)})
    return d
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("original", "change", "told"),
    [
        (DEEP, "rows[1203]['total'] = 3", "[1203]['total'] is 3 instead of 2406"),
        (ARRAY, "a[1203] = 4", "[601, 1] is 4 instead of 1203"),
        pytest.param(FRAME, "d.loc[1203, 'b'] = 4", "['b'].iloc[1203] is 4 instead of 1203", marks=pytest.mark.nightly),
    ],
    ids=["rows", "array", "frame"],
)
def test_the_place_of_a_difference_deep_in_a_large_result_is_told(
    compare: Compare, original: str, change: str, told: str
) -> None:
    rewrite = original.replace("    return", f"    {change}\n    return")
    found = compare(original, rewrite, "f(2000)", rounds=0, shrinking_s=0.0)
    assert isinstance(found, Counterexample)
    assert told in found.difference
    assert found.rounding is None
