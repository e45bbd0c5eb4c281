"""Texts that the regular expressions of the code match: short ones, of every kind of character that they name.

A real call need not have a digit before a capital, and a drawn one seldom does, although the pattern `[A-Z0-9]+` says
that the code does something with it.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import warnings
from itertools import islice
from random import Random
from typing import Any, Callable, Dict, Iterable, List, Mapping, Tuple

from .edge_values import in_turns

MOST_PATTERNS = 6
MOST_TEXTS = 12  # of one pattern
MOST_ALTOGETHER = 24
LONGEST_PATTERN = 500  # characters; longer ones take long to read, and mostly are lists of words
_TRIES = 5  # for each text, since many come out alike
_LONGEST_TEXT = 30  # characters
_MORE = 3  # repeats beyond the least
_MOST_STEPS = 300  # parts of a pattern that one text is written by: repeats of what matches nothing need not end
_KINDS = ("a", "A", "7", "_", "-", " ", ".", "\u00e9")  # what stands for the characters that a class leaves out
_IN_CATEGORY: Mapping[str, Tuple[str, ...]] = {
    "CATEGORY_DIGIT": ("7", "0"),
    "CATEGORY_SPACE": (" ", "\t"),
    "CATEGORY_WORD": ("a", "A", "7", "_"),
    "CATEGORY_NOT_DIGIT": ("a", "-"),
    "CATEGORY_NOT_SPACE": ("a", "7", "-"),
    "CATEGORY_NOT_WORD": (" ", "-", "."),
}


def texts_of_patterns(patterns: Iterable[Any]) -> List[str]:
    """Texts that each of these patterns may match, some of each in turn.

    Args:
        patterns: compiled ones, or texts of some; what is neither, is of bytes, or is too long is left out.
    """
    written = (texts for texts in map(_texts_of, patterns) if texts)
    every = in_turns(islice(written, MOST_PATTERNS))
    return list(islice(dict.fromkeys(every), MOST_ALTOGETHER))


def _texts_of(value: Any) -> List[str]:
    """Nothing for what cannot be read: other inputs are made all the same."""
    with warnings.catch_warnings(), contextlib.suppress(re.error, ValueError, RecursionError, OverflowError):
        warnings.simplefilter("ignore")
        parsed = _parsed(value)
        if parsed is None:
            return []
        random = Random(0)  # noqa: S311 - the same texts each time
        made = (_Writer(random).text_of(parsed)[:_LONGEST_TEXT] for _ in range(MOST_TEXTS * _TRIES))
        if parsed.state.flags & re.IGNORECASE:
            made = (_in_any_case(text, random) for text in made)
        return list(islice((text for text in dict.fromkeys(made) if text), MOST_TEXTS))
    return []


def _in_any_case(text: str, random: Random) -> str:
    return "".join(random.choice((each.lower(), each.upper())) for each in text)


def _parsed(value: Any) -> Any:
    pattern = value.pattern if type(value) is re.Pattern else value
    if type(pattern) is not str or len(pattern) > LONGEST_PATTERN:
        return None
    flags = value.flags & ~re.DEBUG if type(value) is re.Pattern else 0  # with DEBUG the parser prints
    parser: Any = importlib.import_module("re._parser" if hasattr(re, "_parser") else "sre_parse")
    return parser.parse(pattern, flags)


class _Writer:
    """Writes one text; what a pattern looks ahead for, or back at, is written out, too."""

    def __init__(self, random: Random) -> None:
        self._random, self._steps = random, 0
        self._groups: Dict[int, str] = {}
        self._by_name: Dict[str, Callable[[Any], str]] = {
            "LITERAL": chr,
            "NOT_LITERAL": lambda code: self._other_than([chr(code)]),
            "ANY": lambda _: self._random.choice(_KINDS),
            "IN": self._one_of,
            "BRANCH": lambda held: self.text_of(self._random.choice(held[1])),
            "SUBPATTERN": self._group,
            "GROUPREF": lambda number: self._groups.get(number, ""),
            "ATOMIC_GROUP": self.text_of,
            "ASSERT": lambda held: self.text_of(held[1]),
            "MAX_REPEAT": self._repeated,
            "MIN_REPEAT": self._repeated,
            "POSSESSIVE_REPEAT": self._repeated,
        }

    def text_of(self, parsed: Any) -> str:
        """What a part of a pattern may match; nothing for a part that matches no characters, or that is not known."""
        text = ""
        for code, held in parsed:
            self._steps += 1
            if self._steps > _MOST_STEPS or len(text) >= _LONGEST_TEXT:
                break
            write = self._by_name.get(str(code))
            text += write(held) if write is not None else ""
        return text

    def _group(self, held: Any) -> str:
        number, *_, parsed = held
        text = self._groups[number] = self.text_of(parsed)
        return text

    def _repeated(self, held: Any) -> str:
        least, most, parsed = held
        times = min(self._random.randint(least, min(most, least + _MORE)), _LONGEST_TEXT)
        text = ""
        for _ in range(times):
            if self._steps > _MOST_STEPS or len(text) >= _LONGEST_TEXT:
                break
            text += self.text_of(parsed)
        return text

    def _one_of(self, items: Any) -> str:
        """A character of a class: first one of the parts that the class names, then a character of that part."""
        parts = [_characters(str(code), held) for code, held in items]
        if str(items[0][0]) == "NEGATE":
            return self._other_than([character for part in parts for character in part])
        return self._random.choice(self._random.choice([part for part in parts if part] or [[""]]))

    def _other_than(self, characters: List[str]) -> str:
        return self._random.choice([kind for kind in _KINDS if kind not in characters] or [""])


def _characters(code: str, held: Any) -> List[str]:
    """Some of the characters that a part of a class stands for, and all of those in `_KINDS`: they can be left out."""
    if code == "LITERAL":
        return [chr(held)]
    if code == "RANGE":
        first, last = held
        return list(dict.fromkeys([chr(first), chr(last), *(kind for kind in _KINDS if first <= ord(kind) <= last)]))
    return list(_IN_CATEGORY.get(str(held), ())) if code == "CATEGORY" else []
