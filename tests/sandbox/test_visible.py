"""Whatever is shown of others can be seen."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from afterburner.sandbox.rendering import render
from afterburner.sandbox.visible import visible

# Default_Ignorable_Code_Point in DerivedCoreProperties.txt of Unicode 16.0.
IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)


def test_no_control_format_surrogate_private_or_separating_character_stays() -> None:
    hidden = [
        character
        for character in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    ]
    assert [each for each in hidden if not visible(each).startswith("\\")] == []
    assert visible("".join(hidden)).isascii()


def test_nothing_that_is_ignored_without_a_glyph_stays() -> None:
    hidden = [chr(number) for first, last in IGNORABLE for number in range(first, last + 1)]
    assert [each for each in hidden if not visible(each).startswith("\\")] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[1mb", "a\\x1b[1mb"),
        ("user\u202egpj.exe", "user\\u202egpj.exe"),
        ("pass\u00adword", "pass\\xadword"),
        ("\u3164 = 1", "\\u3164 = 1"),
        ("x\U000e0100", "x\\U000e0100"),
        ("\udc80", "\\udc80"),
        ("a\nb\tc", "a\\nb\tc"),
        ("naïve Straße 東京 🚀 ∑ e\u0301 \u00a0.", "naïve Straße 東京 🚀 ∑ e\u0301 \u00a0."),
    ],
)
def test_what_cannot_be_seen_is_escaped_and_the_rest_stays(text: str, shown: str) -> None:
    assert visible(text, keep="\t") == shown


def test_a_value_that_is_rendered_hides_nothing() -> None:
    assert render("a\ufe0fb\u3164") == "'a\\ufe0fb\\u3164'"
    assert render(["object", "shop.A\u3164B", ["items"]]) == "A\\u3164B()"
    assert len(render(["object", "\u3164" * 500, ["items"]])) < 80
