"""Text from users' code and models is safe to print."""

from __future__ import annotations

import pytest

from afterburner.sandbox.terminal.text import scrub, scrub_line


@pytest.mark.parametrize(
    "foreign",
    [
        *("\x1b[2J", "\x9b31m", "a\rb", "\x07", "\x7f", "\u202e", "\u2066", "\u200b", "\udc80", "\x00", "\u2028"),
        *("\ufeff", "\xad", "\u180e", "\u206a", "\u3164", "\ufe0f", "\U000e0100", "\u034f", "\ue000"),
    ],
)
def test_what_drives_a_terminal_or_hides_text_becomes_visible(foreign: str) -> None:
    clean = scrub(f"x{foreign}y")
    assert clean.isascii()
    assert clean.isprintable()
    assert "\\" in clean
    assert clean.encode("utf-8")


def test_ordinary_text_passes_unchanged() -> None:
    text = "naïve Straße 東京 🚀 ∑\n\tindented"
    assert scrub(text) == text


def test_a_line_stays_one_line() -> None:
    assert scrub_line(" one\n two\r\n\tthree\x1b ") == "one two three\\x1b"
