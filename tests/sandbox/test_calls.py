"""What the host makes of a driver's reply: the bytes are whatever code under test cared to write."""

from __future__ import annotations

import json
import random
import struct
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import CallCase, Measurement, UsageError, Verdict
from afterburner.sandbox.calls import prepare_call, read_reply
from afterburner.sandbox.differences import explain_difference, incomparable_reason, render_outcome
from afterburner.sandbox.samples import measure_windows
from afterburner.sandbox.types import FunctionEntry, Program, RawResult

if TYPE_CHECKING:
    from afterburner.sandbox.trees import Json

SECOND = 10**9
HELLO = ("H", b'{"kind": "function", "parameters": ["rows"]}')


def frame(kind: str, payload: bytes = b"") -> bytes:
    return kind.encode() + struct.pack(">I", len(payload)) + payload


END = frame("E", bytes(8))


def answer(kind: str, index: int, *times: int, outcome: bytes = b"", flags: int = 0) -> bytes:
    return frame(kind, struct.pack(">IBQQQ", index, flags, *times) + outcome)


def raw(*frames: bytes, cpu_time_s: float = 1.0, samples: tuple[tuple[float, int], ...] = ()) -> RawResult:
    measured = Measurement(10.0, cpu_time_s, 1000, 5000.0)
    return RawResult(0, None, None, measured, b"".join(frames), b"", samples)


def outcome(result: Json = 1, **parts: Json) -> bytes:
    """An encoded outcome as the driver writes it."""
    named: list[Json] = [["named", name, value] for name, value in dict(parts.get("globals") or {}).items()]  # type: ignore[call-overload]
    args = list(parts.get("args") or [])  # type: ignore[arg-type]
    tree: Json = [
        "outcome", parts.get("kind", "function"), [str(parts.get("way", "returned")), result], ["args", *args],
        ["kwargs"], ["globals", *named], parts.get("printed", ""), parts.get("complained", ""),
    ]  # fmt: skip
    return json.dumps(tree, separators=(",", ":")).encode()


def test_times_of_all_passes_are_summed_and_outcomes_are_of_the_first() -> None:
    case = CallCase((b"", b""), passes=2)
    reply = read_reply(
        raw(
            frame(*HELLO),
            answer("C", 0, 3, 100, 110, outcome=outcome(1)),
            answer("C", 1, 5, 120, 140, outcome=outcome(2)),
            answer("T", 0, 4, 150, 151),
            answer("T", 1, 6, 160, 162),
            END,
        ),
        case,
    )
    assert (reply.verdict, reply.detail) == (Verdict.ACCEPTED, "")
    assert [(each.encoded, round(each.cpu_time_s * 1e9), round(each.wall_time_s * 1e9)) for each in reply.outcomes] == [
        (outcome(1), 7, 11),
        (outcome(2), 11, 22),
    ]
    assert reply.call_measurement is not None
    assert round(reply.call_measurement.cpu_time_s * 1e9) == 18


def test_a_reply_that_is_not_whole_and_in_order_is_no_reply() -> None:
    case = CallCase((b"", b""), (outcome(1), outcome(2)))
    first, second = answer("C", 0, 3, 100, 110, outcome=outcome(1)), answer("C", 1, 5, 120, 140, outcome=outcome(2))
    good = [frame(*HELLO), first, second, END]
    assert read_reply(raw(*good), case).verdict is Verdict.ACCEPTED
    for bad in (
        [],
        good[1:],
        good[:-1],
        [good[0], second, first, good[3]],
        [good[0], first, first, good[3]],
        [*good, END],
        [*good, second],
        [*good[:3], answer("T", 0, 1, 150, 160), good[3]],
        [good[0], first, answer("C", 1, 5, 90, 140, outcome=outcome(2)), good[3]],
        [good[0], first, answer("C", 1, 5, 140, 120, outcome=outcome(2)), good[3]],
        [good[0], first, frame("C", b"short"), good[3]],
        [frame("?"), *good],
        [b"noise", *good],
    ):
        reply = read_reply(raw(*bad), case)
        assert reply.verdict is Verdict.RUNTIME_ERROR
        assert reply.call_measurement is None
        assert reply.detail


def test_times_that_the_meter_does_not_bear_out_are_refused() -> None:
    case = CallCase((b"",))

    def told(cpu: int, start: int, end: int) -> str:
        samples = ((100.0, 1), (105.0, 1))
        call = answer("C", 0, cpu, start, end, outcome=outcome())
        reply = read_reply(raw(frame(*HELLO), call, END, samples=samples), case)
        assert (reply.verdict is Verdict.ACCEPTED) == (reply.call_measurement is not None)
        return reply.detail

    assert told(SECOND, 101 * SECOND, 102 * SECOND) == ""
    assert "timing was tampered with" in told(2 * SECOND, 101 * SECOND, 102 * SECOND)
    assert "timing was tampered with" in told(0, 90 * SECOND, 91 * SECOND)
    assert "timing was tampered with" in told(0, 101 * SECOND, 106 * SECOND)
    assert "timing was tampered with" in told(0, 0, 2**64 - 1)


def test_an_outcome_that_changes_from_pass_to_pass_is_told() -> None:
    case = CallCase((b"",), passes=2)
    calls = answer("C", 0, 1, 10, 11, outcome=outcome()), answer("T", 0, 1, 12, 13, flags=1)
    reply = read_reply(raw(frame(*HELLO), *calls, END), case)
    assert (reply.verdict, reply.difference_at) == (Verdict.WRONG_ANSWER, 0)


def test_the_drivers_complaint_is_scrubbed_and_short() -> None:
    told = json.dumps({"stage": "load", "type": "E", "message": "\x1b[31m" + "x" * 50_000 + "\nlast \x07line"}).encode()
    reply = read_reply(raw(frame("X", told)), CallCase((b"",)))
    assert reply.verdict is Verdict.RUNTIME_ERROR
    assert len(reply.detail) < 600
    assert reply.detail.isprintable()
    for payload in (b"", b"[]", b"{", b"[" * 10_000, b'{"stage": 5}', b"\xff"):
        assert read_reply(raw(frame("X", payload)), CallCase((b"",))).verdict is Verdict.RUNTIME_ERROR


def test_memory_is_that_of_the_windows_alone() -> None:
    samples = ((0.0, 100), (1.0, 100), (2.0, 300), (3.0, 300), (4.0, 900))
    measured = measure_windows([(SECOND // 2, 3 * SECOND // 2), (5 * SECOND // 2, 3 * SECOND)], 7, raw(samples=samples))
    assert measured.peak_memory_kib == 300
    assert measured.memory_integral_kib_s == pytest.approx(50 + 75 + 150)
    assert measured.wall_time_s == pytest.approx(1.5)
    assert measured.samples == 1


def test_a_request_needs_a_function_and_a_call() -> None:
    with pytest.raises(UsageError):
        prepare_call(Program("python", ""), CallCase((b"x",)))
    entry = FunctionEntry("m", "/m.py", "f")
    with pytest.raises(UsageError):
        prepare_call(Program("python", "", entry), CallCase(()))
    expected = (b"the expected outcome",)
    prepared = prepare_call(Program("python", "\udc80", entry), CallCase((b"blob",), expected))
    assert b"blob" in prepared.stdin
    assert expected[0] not in prepared.stdin


EXPLAINED = [
    (outcome(["list", 1, 2, 3]), outcome(["list", 1, 2, 4]),
     "returned [1, 2, 4] instead of [1, 2, 3] (first difference at [2])"),
    (outcome(1), outcome(True), "returned True instead of 1"),
    (outcome(["list", 1]), outcome(["list", 1, 2]), "returned [1, 2] instead of [1]"),
    (outcome(["dict", ["tuple", "a", 1]]), outcome(["dict", ["tuple", "a", 2]]),
     "returned {'a': 2} instead of {'a': 1} (first difference at ['a'])"),
    (outcome(["object", "m.P", ["items", "x", 1]]), outcome(["object", "m.P", ["items", "x", 2]]),
     "returned P(x=2) instead of P(x=1) (first difference at .x)"),
    (outcome(3), outcome(["exception", "builtins.ValueError", ["tuple", "x"], ["items"], ["items"]], way="raised"),
     "raised ValueError('x') instead of returning 3"),
    (outcome(args=[["list"]]), outcome(args=[["list", 1]]), "left argument `rows` (1st) as [1] instead of []"),
    (outcome(args=[1, 1]), outcome(args=[1, 2]), "left argument 2nd as 2 instead of 1"),
    (outcome(globals={"N": 1}), outcome(globals={"N": 2}), "left the global `N` as 2 instead of 1"),
    (outcome(printed="a\nb\n"), outcome(printed="a\nc\n"), "printed 'c' instead of 'b' (line 2)"),
    (outcome(printed="a\n"), outcome(printed=""), "printed 0 lines instead of 1"),
    (outcome(complained="a\n"), outcome(complained="b\n"), "wrote to stderr 'b' instead of 'a'"),
    (outcome(["list", *range(40), 1]), outcome(["list", *range(40), 2]), "where [40] is 2 instead of 1"),
    (outcome(["list", 1, ["rest", 9, "a"]]), outcome(["list", 1, ["rest", 9, "b"]]), "in a part that is too large to"),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "actual", "line"), EXPLAINED)
def test_the_first_difference_is_told_as_python_would_write_it(expected: bytes, actual: bytes, line: str) -> None:
    assert line in explain_difference(expected, actual, ("rows",))


def test_an_outcome_that_cannot_be_compared_says_so() -> None:
    assert incomparable_reason(outcome('["opaque","x"]')) is None
    assert incomparable_reason(outcome(["opaque", "m.Lock"])) is not None
    told = incomparable_reason(outcome(1)[:-1] + b',["opaque","m.Lock"]]')
    assert told == "it holds <m.Lock>, which cannot be looked into"


def test_whatever_the_bytes_are_the_explanation_is_one_bounded_printable_line() -> None:
    rng = random.Random(7)
    tags = ["outcome", "list", "dict", "set", "object", "sub", "items", "ref", "rest", "opaque", "text", "bytes",
            "float", "drained", "ndarray", "exception", "enum", "named", "args", "globals", "tuple",
            "frame", "index", "values", "array",
            "floats", "<f8", "_data", "_ndarray", "_name", "pandas"]  # fmt: skip

    def anything(depth: int) -> Json:
        kind = rng.randrange(8)
        if not depth and rng.random() < 0.2:
            return rng.choice(tags)
        if kind < 5 and depth:
            return [rng.choice(tags), *(anything(depth - 1) for _ in range(rng.randrange(5)))]
        return rng.choice([None, True, 1, 1.5, "x\x1b[0m\u202e\n", "y" * 500, {"a": [1]}, 10**30, [], ""])

    hostile = [
        b"", b"null", b"[]", b"[" * 100_000, b"\xff\xfe", b'"\\ud800"', b"1" * 10_000, b"NaN", b'["outcome"]' * 2,
        outcome().replace(b"1", b'["list",' * 400 + b"1" + b"]" * 400),
    ]  # fmt: skip
    for _ in range(300):
        value, other = anything(6), anything(6)
        pair = [outcome(value, args=[anything(3)]), outcome(other, args=[anything(3)]), json.dumps(value).encode()]
        for left in (pair[0], rng.choice(hostile)):
            for right in (pair[1], pair[2], rng.choice(hostile)):
                told = explain_difference(left, right, ("a",)), render_outcome(right), incomparable_reason(right)
                assert all(len(line or "") <= 600 and (line or "").isprintable() for line in told)
