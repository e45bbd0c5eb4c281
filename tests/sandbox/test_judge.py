"""Comparing outputs, and text that may be shown."""

from __future__ import annotations

import pytest

from afterburner.sandbox.judge import explain_difference, scrub


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        (b"", b""),
        (b"", b"\n\n"),
        (b"1\n2\n", b"1\n2"),
        (b"1 2", b"1 2  \t\r\n"),
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"\xff\xfe", b"\xff\xfe\n"),
    ],
)
def test_whitespace_at_ends_does_not_count(expected: bytes, printed: bytes) -> None:
    assert explain_difference(expected, printed) is None
    assert explain_difference(printed, expected) is None


@pytest.mark.parametrize(
    ("expected", "printed", "explanation"),
    [
        (b"1\n2\n3", b"1\n5\n3", "line 2: expected '2', got '5'"),
        (b"1 2", b"1  2", "line 1: expected '1 2', got '1  2'"),
        (b" 1", b"1", "line 1: expected ' 1', got '1'"),
        (b"a\n\nb", b"a\nb", "line 2: expected '', got 'b'"),
        (b"1\n2", b"1\n", "line 2: expected '2', but the output ends after 1 line"),
        (b"1", b"", "line 1: expected '1', but the output ends after 0 lines"),
        (b"1", b"1\n2", "line 2: expected the output to end after 1 line, got '2'"),
        (b"x", b"\x1b[2J\x00", "line 1: expected 'x', got '\ufffd[2J\ufffd'"),
    ],
)
def test_the_first_difference_is_explained(expected: bytes, printed: bytes, explanation: str) -> None:
    assert explain_difference(expected, printed) == explanation


def test_a_difference_far_into_a_long_line_is_shown_around_its_place() -> None:
    explanation = explain_difference(b"a" * 5000 + b"X" + b"b" * 5000, b"a" * 5000 + b"Y" + b"b" * 5000)
    assert explanation is not None
    assert len(explanation) < 300
    assert "aaaXbbb" in explanation
    assert "aaaYbbb" in explanation
    assert "…" in explanation


def test_scrubbed_text_keeps_its_ends_and_its_lines() -> None:
    assert scrub("größe\n\tok".encode()) == "größe\n\tok"
    assert scrub(b"\xff\x00\x9b") == "\ufffd" * 3
    long = scrub(b"start" + b"-" * 1000 + b"end", most=100)
    assert long.startswith("start")
    assert long.endswith("end")
    assert "bytes left out" in long
    assert len(long) < 200
