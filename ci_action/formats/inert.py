"""Foreign text in Markdown, so that GitHub shows it and does nothing with it.

Names, values and reasons come from a pull request. None of it may end a code block, open HTML, link, mention anybody or
refer to an issue.
"""

from __future__ import annotations

import re
from html import escape

from afterburner.ci_action.report.words import one_line

_NO_BREAK = "\u200b"  # a zero-width space: after it, `@name` mentions nobody and `#1` refers to nothing
_SPECIAL = re.compile(r":(?! )|[\x00-\x1f!\"#$&*<>?@\[\\\]^_`{|}~]")
_REFERENCES = re.compile(r"[@#]|\b(?:GH-(?=\d)|www(?=\.))", re.IGNORECASE)


def code(text: object, most: int = 300) -> str:
    """The text as code, for a sentence or for a cell of a table."""
    shown = escape(one_line(text, most)).replace("|", "&#124;").replace("\\", "&#92;")
    for special in "`*_~[]!<>:":
        shown = shown.replace(special, f"&#{ord(special)};")
    return f"<code>{shown}</code>" if shown else "<code> </code>"


def prose(text: object, most: int = 1_500) -> str:
    """The text as part of a sentence: what Markdown or HTML would read as more than text is written as an entity."""
    plain = one_line(text, most)
    parts = _REFERENCES.sub(lambda found: f"{found[0]}{_NO_BREAK}", plain)
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", parts)


def fenced(text: str, language: str = "") -> str:
    """The text in a code block that it cannot end, for its fence is longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}{language}\n{text}{end}{fence}\n"
