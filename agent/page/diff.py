"""A unified diff as HTML: coloured, with the numbers of the lines on both sides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.agent.page.markup import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_TAGS = {"+": "ins", "-": "del"}


def diff_block(patch: str) -> str:
    """The patch as a block that scrolls by itself.

    The numbers are attributes, which the style sheet shows: who copies the lines copies the patch.
    """
    return f'<pre class="diff">{"".join(_lines(patch))}</pre>'


def _lines(patch: str) -> Iterator[str]:
    old = new = None
    for line in patch.removesuffix("\n").split("\n"):
        text, mark = safe(line.rstrip("\r")), line[:1]
        hunk = _HUNK.match(line)
        if hunk is not None:
            old, new = int(hunk[1]), int(hunk[2])
        if hunk is not None or old is None or new is None:  # the names of the files come before the first hunk
            yield f"{_number(None)}{_number(None)}<b>{text}</b>\n"
            continue
        tag = _TAGS.get(mark)
        yield f"{_number(old if mark in '- ' else None)}{_number(new if mark in '+ ' else None)}"
        yield f"<{tag}>{text}</{tag}>\n" if tag else f"{text}\n"
        old, new = old + (mark in "- "), new + (mark in "+ ")


def _number(number: int | None) -> str:
    return "<i></i>" if number is None else f'<i data-n="{number}"></i>'
