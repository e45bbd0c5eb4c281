"""`# afterburner: skip`: the comment by which a function asks not to be chosen for a rewrite.

It counts in the header alone: on the line of `def`, on one of its decorators, or between them. It does not stop anyone
who names the function, and comparisons of two versions ignore it.
"""

from __future__ import annotations

import io
import re
import tokenize

from afterburner.agent.code.source_text import dedent

SKIP_MARKER = "# afterburner: skip"
_MARKER = re.compile(r"#\s*afterburner:\s*skip\b", re.IGNORECASE)


def says_skip(function_text: str) -> bool:
    """Whether the header of a function holds the marker.

    Args:
        function_text: from its first decorator, or `def`, on; it may be indented as a whole.
    """
    if _MARKER.search(function_text) is None:
        return False
    is_in_def = False
    try:
        # tokenize takes no lone carriage return for the end of a line
        text = dedent(function_text).replace("\r\n", "\n").replace("\r", "\n")
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT and _MARKER.search(token.string):
                return True
            is_in_def = is_in_def or (token.type == tokenize.NAME and token.string == "def")
            if is_in_def and token.type == tokenize.NEWLINE:
                return False
    except (tokenize.TokenError, SyntaxError):
        return False
    return False
