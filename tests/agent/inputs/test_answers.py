"""What comes back from a harness is checked as if an enemy had written it."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import pytest

from afterburner.agent.inputs.harness_answers import MAX_RECORDS, MemoryProfile, last_lines, parse_answer, scrub

CALL = {
    "kind": "call",
    "origin": "doctest",
    "description": "f(1)",
    "ended": "returned",
    "number": 3,
    "cpu_time_s": 0.5,
    "blob": base64.b64encode(b"blob").decode(),
}


def frame(record: Any) -> bytes:
    payload = record if isinstance(record, bytes) else json.dumps(record).encode()
    return b"R" + struct.pack(">I", len(payload)) + payload


def test_an_honest_answer() -> None:
    answer = parse_answer(
        frame(CALL)
        + frame({"kind": "skipped", "origin": "doctest", "reason": "no\x1b[31m copy"})
        + frame({"kind": "failed", "stage": "run", "reason": "ValueError"})
        + frame({"kind": "profile", "function": "f", "cost_s": 0.25, "calls": 4, "importing": False})
        + frame(
            {"kind": "memory", "function": "f", "transient_bytes": 4096, "kept_bytes": 5000, "callees": ["g", "h\n"]}
        )
        + frame({"kind": "done", "calls": 17})
    )
    assert [(call.blob, call.number, call.ending) for call in answer.calls] == [(b"blob", 3, "returned")]
    assert answer.skipped == (("doctest", "no\\x1b[31m copy"),)
    assert answer.failures[0].stage == "run"
    assert (answer.profiles[0].cost_s, answer.profiles[0].importing) == (0.25, False)
    assert answer.memory == (MemoryProfile("f", 4096, 5000, ("g", "h")),)
    assert (answer.count, answer.finished, answer.damaged) == (17, True, 0)


@pytest.mark.parametrize(
    "record",
    [
        {**CALL, "blob": "not base64!"},
        {**CALL, "blob": 5},
        {**CALL, "number": -1},
        {**CALL, "number": "3"},
        {**CALL, "cpu_time_s": float("nan")},
        {**CALL, "cpu_time_s": 1e300},
        {**CALL, "ended": "forged"},
        {**CALL, "blob": "A" * 20_000_000},
        {"kind": "profile", "function": "f", "cost_s": float("inf"), "calls": 1, "importing": False},
        {"kind": "memory", "function": "f", "transient_bytes": -1, "kept_bytes": 0, "callees": []},
        {"kind": "memory", "function": "f", "transient_bytes": 1, "kept_bytes": 1e6, "callees": []},
        {"kind": "memory", "function": "f", "transient_bytes": 1, "kept_bytes": 1, "callees": [["g"]]},
        {"kind": "done", "calls": 10**30},
        {"kind": ["call"]},
        ["call"],
        17,
        b"not json",
        b"[" * 100_000,
        b"\xff\xfe",
        b"",
    ],
)
def test_what_is_no_record_is_counted_and_dropped(record: Any) -> None:
    answer = parse_answer(frame(record) + frame(CALL))
    assert len(answer.calls) == 1
    assert not answer.profiles
    assert not answer.memory
    assert not answer.finished
    assert answer.damaged == 1


@pytest.mark.parametrize("rest", [b"garbage", b"R\x00\x00", b"R\xff\xff\xff\xff{}", b"\x00" * 50])
def test_bytes_that_are_no_frame_end_the_answer(rest: bytes) -> None:
    cut_off = parse_answer(frame(CALL) + rest + frame(CALL))
    assert len(cut_off.calls) == 1
    assert parse_answer(frame({"kind": "done", "calls": 0}) + rest).damaged == 1


def test_the_number_of_records_is_bounded() -> None:
    answer = parse_answer(frame(CALL) * (MAX_RECORDS + 10))
    assert len(answer.calls) == MAX_RECORDS


def test_text_for_people_is_one_printable_line() -> None:
    assert scrub("a\nb\x00\x1b]0;evil\x07\u202e c", 100) == "a b\\x00\\x1b]0;evil\\x07\\u202e c"
    assert scrub("x" * 500, 10) == "x" * 9 + "…"
    assert last_lines("one\n\ntwo\nthree\nfour\n") == "two | three | four"
    assert last_lines("") == ""
    ended = "Traceback (most recent call last):\n  File x\nImportError: No module named 'cjk'\n\n--\nRan 1 test\nFAILED"
    assert last_lines(ended) == "ImportError: No module named 'cjk' | Ran 1 test | FAILED"
    assert last_lines("KeyError: 1\nover") == "KeyError: 1 | over"
    of_pytest = "ImportError while loading\nE   File 'a.py', line 2\nE     y = = 1\nE         ^\nE   SyntaxError: no"
    assert last_lines(of_pytest) == "File 'a.py', line 2 | y = = 1 | SyntaxError: no"
