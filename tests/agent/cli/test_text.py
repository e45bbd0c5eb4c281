"""Text from users' code and models is safe to print; figures carry the unit that suits."""

from __future__ import annotations

import math

import pytest

from afterburner.agent.wording import count, format_ratio
from afterburner.sandbox.terminal.formatting import format_kib, format_seconds
from afterburner.sandbox.terminal.text import scrub, scrub_line


@pytest.mark.parametrize(
    "foreign",
    ["\x1b[2J", "\x9b31m", "a\rb", "\x07", "\x7f", "\u202e", "\u2066", "\u200b", "\udc80", "\x00", "\u2028", "\ufeff"],
)
def test_what_drives_a_terminal_or_hides_text_becomes_visible(foreign: str) -> None:
    clean = scrub(f"x{foreign}y")
    assert clean.isprintable()
    assert "\\" in clean
    assert clean.encode("utf-8")


def test_ordinary_text_passes_unchanged() -> None:
    text = "naïve Straße 東京 🚀 ∑\n\tindented"
    assert scrub(text) == text


def test_a_line_stays_one_line() -> None:
    assert scrub_line(" one\n two\r\n\tthree\x1b ") == "one two three\\x1b"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(1.234, "1.23 s"), (123.4, "123 s"), (0.0456, "45.6 ms"), (0.000789, "789 µs"), (0.0, "0.00 µs")],
)
def test_seconds(seconds: float, shown: str) -> None:
    assert format_seconds(seconds) == shown


@pytest.mark.parametrize(("kib", "shown"), [(12, "12.0 KiB"), (2048, "2.00 MiB"), (3 * 1024 * 1024, "3.00 GiB")])
def test_memory(kib: float, shown: str) -> None:
    assert format_kib(kib) == shown


def test_figures_that_are_none_are_a_dash() -> None:
    assert format_seconds(math.nan) == format_kib(math.inf) == format_ratio(math.nan) == "-"


def test_counting() -> None:
    assert [count(1, "line"), count(2, "line"), count(0, "branch")] == ["1 line", "2 lines", "0 branches"]
