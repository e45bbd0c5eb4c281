"""Characters that what the code names treats in ways of its own: `isdigit` takes a superscript two, `int` does not."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Tuple

from .edge_values import in_turns

_DIGITS = "\xb2\u0663\u2460"  # superscript two, an Arabic three, a one in a circle
_LETTERS = "\xdf\u0130\u017f\u212a"  # sharp s, a capital i with a dot, long s, the sign of Kelvin
_BLANKS = "\x1c\x85\u2028\xa0"
_CHANGING_CASE = ("upper", "lower", "casefold", "swapcase", "title", "capitalize", "isupper", "islower", "istitle")
_CHARACTERS: Dict[str, Tuple[str, ...]] = {
    **dict.fromkeys(("int", "float", "isdigit", "isdecimal", "isnumeric", r"\d"), (_DIGITS,)),
    **dict.fromkeys((*_CHANGING_CASE, "isalpha", "IGNORECASE", "I", "(?i"), (_LETTERS,)),
    **dict.fromkeys(("isalnum", r"\w"), (_DIGITS, _LETTERS)),
    **dict.fromkeys(("strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "isspace", r"\s"), (_BLANKS,)),
}
NAMES_WITH_CHARACTERS = frozenset(name for name in _CHARACTERS if name.isidentifier())
_IN_PATTERN = re.compile(r"\\.|\(\?i", re.DOTALL)


def special_characters(names: Iterable[str], patterns: Iterable[Any]) -> List[str]:
    """Those for all that the code names, in turns, and first those for what it names first.

    Args:
        names: of functions, methods and attributes in the code.
        patterns: its regular expressions, compiled ones or texts; whatever else is among them says nothing.
    """
    named = [*names, *(each for pattern in patterns for each in _named_in(pattern))]
    return list(in_turns(dict.fromkeys(each for name in named for each in _CHARACTERS.get(name, ()))))


def _named_in(pattern: Any) -> List[str]:
    text, flags = (pattern.pattern, pattern.flags) if type(pattern) is re.Pattern else (pattern, 0)
    if type(text) is not str:
        return []
    # What is no digit is told by the same rule as what is one.
    classes = [each.lower() for each in _IN_PATTERN.findall(text)]
    return [*classes, "IGNORECASE"] if flags & re.IGNORECASE else classes
