"""Shows what a text hides: characters that drive a terminal, reorder or hide text, or have no shape, as escapes."""

from __future__ import annotations

import re
import unicodedata

# Unicode's Default_Ignorable_Code_Point, as far as Python counts such characters as printable.
_WITHOUT_SHAPE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)


def visible(text: str, keep: str = "") -> str:
    r"""Replace each character that cannot be seen by its escape: `\x1b` for ESC, `\u200b` for a space without width.

    These are controls, formats, halves of surrogate pairs, private and unassigned characters (all categories C of
    Unicode), separators of lines and paragraphs, and what is to be ignored where there is no glyph for it. Spaces stay.

    Args:
        text: of others.
        keep: characters that stay all the same, such as line ends.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each in keep or is_visible(each) else _escaped(each) for each in text)


def is_visible(character: str) -> bool:
    """Whether a character, or the place that it takes, can be seen."""
    is_shown = character.isprintable() or unicodedata.category(character) == "Zs"
    return is_shown and not _WITHOUT_SHAPE.match(character)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
