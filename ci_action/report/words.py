"""Foreign text as one bounded line that a reader, a terminal and a log can take."""

from __future__ import annotations

MOST_CHARACTERS = 1_500


def one_line(text: object, most: int = MOST_CHARACTERS) -> str:
    """The text on one line, cut at `most` characters; what cannot be seen is written as its escape."""
    flat = " ".join(str(text).split())
    shown = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in flat)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
