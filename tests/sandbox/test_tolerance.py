"""The comparison with a tolerance: floats may differ by so much, nothing else may differ at all."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from afterburner.sandbox import CallCase, FunctionEntry, Program, Verdict
from afterburner.sandbox.driver import value_encoder
from afterburner.sandbox.tolerance import (
    TreeAgreement,
    compare_with_tolerance,
    largest_difference,
    with_close_floats_equal,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.sandbox import Sandbox

THIRD = 1 / 3
NEAR = THIRD * (1 + 1e-10)
FAR = THIRD * (1 + 1e-8)
AGREE, DIFFER, FOLDED = TreeAgreement.AGREE, TreeAgreement.DIFFER, TreeAgreement.FOLDED


@pytest.fixture(scope="module")
def encode() -> Callable[[object], bytes]:
    def encoding(value: object) -> bytes:
        encoded: bytes = value_encoder.OpenEncoder().encode(value)
        return encoded

    return encoding


@pytest.fixture(scope="module")
def compare(encode: Callable[[object], bytes]) -> Callable[..., TreeAgreement]:
    def comparing(left: object, right: object, tolerance: float = 1e-9) -> TreeAgreement:
        return compare_with_tolerance(encode(left), encode(right), tolerance)

    return comparing


CONTAINERS: list[Callable[[float], object]] = [
    lambda x: x,
    lambda x: [1, "a", {"k": (x, None)}],
    lambda x: complex(1, x),
    lambda x: {x, 1, "a"},
    ValueError,
    lambda x: iter([x]),
    np.float64,
    lambda x: np.array([1.0, x, float("nan")]),
    lambda x: np.array([x + 1j]),
    lambda x: np.array([(1, x)], "i8,f8"),
    lambda x: pd.DataFrame({"a": [1, 2], "b": [x, None]}),
    lambda x: pd.Interval(0, x),
    lambda x: [x] * 5_000,
]


@pytest.mark.parametrize("make", CONTAINERS, ids=range(len(CONTAINERS)))
def test_floats_may_differ_a_little_wherever_they_are(
    compare: Callable[..., TreeAgreement], make: Callable[[float], object]
) -> None:
    assert compare(make(THIRD), make(NEAR)) is AGREE
    assert compare(make(THIRD), make(FAR)) is DIFFER
    assert compare(make(THIRD), make(NEAR), 1e-11) is DIFFER


EXACT: list[tuple[object, object]] = [
    (1, 1.0),
    (1, 2),
    (True, 1.0),
    (float("inf"), 1e308),
    (float("inf"), float("-inf")),
    (float("nan"), 0.0),
    (10**15, 10**15 + 1),
    ([THIRD], [NEAR, NEAR]),
    ([THIRD], (NEAR,)),
    ({THIRD: 1}, {NEAR: 1}),
    (str(THIRD), str(NEAR)),
    (np.array([THIRD]), np.array([NEAR], "f4")),
    (np.array([THIRD]), [NEAR]),
    (np.array([THIRD], "f4"), np.array([NEAR], "f8")),
    ({1.0, 2.0}, {1.0, 3.0}),
    (pd.Series([THIRD]), pd.Series([NEAR], index=["a"])),
]


@pytest.mark.parametrize(("left", "right"), EXACT)
def test_everything_else_has_to_be_equal(compare: Callable[..., TreeAgreement], left: object, right: object) -> None:
    assert compare(left, right, 1e-6) is DIFFER


NAN, INF = float("nan"), float("inf")
ROWS: list[Callable[[list[float]], object]] = [
    list,
    tuple,
    lambda row: {"row": row},
    iter,
    np.array,
    lambda row: np.array(row, "f4"),
    lambda row: np.array(row, object),
    lambda row: np.array(row) + 1j,
    pd.Series,
    lambda row: pd.Series(row, dtype="Float64"),
    lambda row: pd.DataFrame({"a": row, "b": 1}),
    lambda row: [np.float64(x) for x in row],
]


@pytest.mark.parametrize("make", ROWS, ids=range(len(ROWS)))
def test_a_nan_or_an_infinity_excuses_only_itself(
    compare: Callable[..., TreeAgreement], make: Callable[[list[float]], object]
) -> None:
    row = [1.0, NAN, THIRD, INF, 2.0]
    assert compare(make(row), make([1.0, NAN, NEAR, INF, 2.0]), 1e-6) is AGREE
    for spoilt in (
        [1.0, NAN, NAN, INF, 2.0],
        [1.0, NAN, THIRD, INF, NAN],
        [NAN, 1.0, THIRD, INF, 2.0],
        [1.0, 0.0, THIRD, INF, 2.0],
        [1.0, NAN, THIRD, NAN, 2.0],
        [1.0, NAN, THIRD, -INF, 2.0],
        [1.0, NAN, THIRD, INF, INF],
        [1.0, NAN, THIRD, INF, 2.5],
    ):
        assert compare(make(row), make(spoilt), 1e-6) is not AGREE, spoilt
        assert compare(make(spoilt), make(row), 1e-6) is not AGREE, spoilt


def test_how_far_floats_lie_apart_is_told_where_nothing_else_differs(encode: Callable[[object], bytes]) -> None:
    def apart(left: object, right: object) -> tuple[TreeAgreement, float]:
        return largest_difference(encode(left), encode(right))

    assert apart([1.0, NAN, 2.0], [1.0 + 1e-9, NAN, 2.0]) == (AGREE, pytest.approx(1e-9))
    assert apart(np.array([4.0, 1.0]), np.array([4.0 + 1e-6, 1.0])) == (AGREE, pytest.approx(2.5e-7, rel=1e-3))
    assert apart([0.0, 1.0], [1e-15, 1.0]) == (AGREE, 0.0)
    assert apart([1.0, NAN], [1.0 + 1e-9, 0.5])[0] is DIFFER
    assert apart([1.0, 2], [1.0 + 1e-9, 3])[0] is DIFFER
    assert apart([THIRD] * 100_000, [NEAR] * 100_000)[0] is FOLDED


def test_what_agrees_is_no_part_of_an_explanation(encode: Callable[[object], bytes]) -> None:
    left, right = encode([1.0, THIRD, 2.0]), encode([1.0, NEAR, 3.0])
    assert with_close_floats_equal(left, right, 1e-9) == encode([1.0, THIRD, 3.0]).replace(b",", b", ")


def test_near_zero_an_absolute_floor_decides(compare: Callable[..., TreeAgreement]) -> None:
    assert compare(0.0, 1e-13) is AGREE
    assert compare(0.0, -0.0) is AGREE
    assert compare(0.0, 1e-11) is DIFFER


def test_floats_in_a_set_are_compared_by_size(compare: Callable[..., TreeAgreement]) -> None:
    assert compare({9.999999999999, 10.5, 8.0}, {10.0, 10.5, 8.0}, 1e-9) is AGREE


def test_no_tolerance_reaches_what_is_too_large_to_be_told(compare: Callable[..., TreeAgreement]) -> None:
    assert compare([THIRD] * 100_000, [NEAR] * 100_000) is FOLDED
    assert compare(np.full(10**6, THIRD), np.full(10**6, NEAR)) is FOLDED
    assert compare([THIRD] * 100_000, [THIRD] * 100_000) is AGREE


def test_whatever_the_bytes_are_there_is_an_answer() -> None:
    rng = random.Random(3)
    pieces = [b'["float","1"]', b'["float","x"]', b'["float",1]', b'["floats","<f8","00"]', b'["floats","<f8","zz"]',
              b'["set",["float","1"],[]]', b'["dict",1,["tuple"]]', b'["defaultdict",1,2]', b"[" * 9_000, b"{}",
              b"\xff", b'["rest",1,"a"]', b"NaN", b'["float","' + b"9" * 10_000 + b'"]', b"[]"]  # fmt: skip
    for _ in range(400):
        one, other = (b"[" + b",".join(rng.choices(pieces, k=2)) + b"]" for _ in range(2))
        assert compare_with_tolerance(one, other, 1e-9) in TreeAgreement


def test_calls_are_judged_with_the_tolerance_of_their_case(sandbox: Sandbox) -> None:
    entry = FunctionEntry("target", "/afterburner/program/target.py", "f")
    call = b"\x80\x04()}})t."

    def run(body: str, **options: Any) -> Any:
        program = Program("python", f"def f():\n    {body}\n", entry)
        return sandbox.run(program, [CallCase((call,), **options)]).cases[0]

    forwards, backwards = "return sum([0.1] * 10 + [1e9])", "return sum([1e9] + [0.1] * 10)"
    expected = tuple(each.encoded for each in run(forwards, float_tolerance=1e-9).outcomes)
    assert run(backwards, float_tolerance=1e-9, expected_outcomes=expected).verdict is Verdict.ACCEPTED
    strict = run(backwards, expected_outcomes=expected)
    assert (strict.verdict, "instead of" in strict.detail) == (Verdict.WRONG_ANSWER, True)
    wrong = run("return 1e9 + 3", float_tolerance=1e-9, expected_outcomes=expected)
    assert wrong.detail == "call 1 returned 1000000003.0 instead of 1000000001.0 (floats may differ by 1e-09)"
    large = tuple(each.encoded for each in run("return [0.1] * 90_000", float_tolerance=1e-9).outcomes)
    folded = run("return [0.1 + 1e-17] * 89_999 + [0.1 + 1e-16]", float_tolerance=1e-9, expected_outcomes=large)
    assert "too large to be compared with a tolerance" in folded.detail
