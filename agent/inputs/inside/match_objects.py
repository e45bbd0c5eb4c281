"""Matches of regular expressions as values with parts: the text that was searched, and what of it was found.

Another text makes another match of the same pattern, as the same kind of search finds it there. A pattern may take for
ever to find that it does not match, so each search of another text has an end. Texts of a user's class have no parts:
its methods would be called.
"""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from .alarm import interrupted_after
from .container_kinds import NotBuildableError
from .harness_types import Interrupted

MOST_BEFORE = 256  # matches in the text before one
SEARCH_S = 0.1  # of another text
_TEXT = "string"  # as the match itself calls it
_FOUND = "group"
_PLAIN = (str, bytes)


def match_parts(match: re.Match[Any]) -> Dict[str, Any]:
    """The text, and what was found in it unless that is all of it."""
    if not _is_plain(match):
        return {}
    parts = {_TEXT: match.string}
    return parts if match.span() == (0, len(match.string)) else {**parts, _FOUND: match.group()}


def match_with(match: re.Match[Any], changed: Mapping[str, Any]) -> re.Match[Any]:
    """The match that is found in another text, or where another one stands in place of what was found.

    Raises:
        NotBuildableError: the pattern does not match there, or not in time.
    """
    given = {type(value) for value in changed.values()}
    if not _is_plain(match) or len(changed) > 1 or not given <= {type(match.string)}:
        raise NotBuildableError("Match")
    start, end = match.span()
    text = changed.get(_TEXT, match.string)
    if _FOUND in changed:
        text = match.string[:start] + changed[_FOUND] + match.string[end:]
        end = start + len(changed[_FOUND])
    made = _found_in_time(match, text)
    if made is None or (_FOUND in changed and made.span() != (start, end)):
        raise NotBuildableError("Match")
    return made


def regex_text(value: Any, text: Callable[[Any], str]) -> str:
    """A match or a pattern as Python, empty for a value of another kind; `text` writes what was searched."""
    if type(value) is re.Match:
        return _match_text(value, text) if _is_plain(value) else "<Match>"
    return _pattern_text(value) if type(value) is re.Pattern else ""


def _is_plain(match: re.Match[Any]) -> bool:
    return type(match.string) in _PLAIN and type(match.re.pattern) in _PLAIN


def _match_text(match: re.Match[Any], text: Callable[[Any], str]) -> str:
    pattern, known = match.re, (match.string, match.pos, match.endpos)
    limits = () if match.endpos - match.pos == len(match.string) else known[1:]
    given = ", ".join([text(match.string), *map(repr, limits)])

    def by(name: str) -> str:
        return "%s.%s(%s)" % (_pattern_text(pattern), name, given)

    found = list(_up_to(match))
    if found and _is_same(found[0], match):
        return by("search")
    for name, way in _at_start(match):
        if _is_same(way(*known), match):
            return by(name)
    is_listed = bool(found) and _is_same(found[-1], match)
    return "list(%s)[%d]" % (by("finditer"), len(found) - 1) if is_listed else "<Match>"


def _pattern_text(pattern: re.Pattern[Any]) -> str:
    if type(pattern.pattern) not in _PLAIN:
        return "<Pattern>"
    usual = re.compile(pattern.pattern[:0]).flags  # of each pattern of a text
    flags = re.RegexFlag(pattern.flags & ~usual)
    names = [each.name or "" for each in re.RegexFlag if each in flags and each.name]
    given = [ascii(pattern.pattern), *([" | ".join("re." + name for name in names)] if names else [])]
    return "re.compile(%s)" % ", ".join(given)


def _found_in_time(match: re.Match[Any], text: Any) -> Optional[re.Match[Any]]:
    try:
        with interrupted_after(SEARCH_S):
            return _found_alike(match, text)
    except Interrupted:
        return None


def _found_alike(match: re.Match[Any], text: Any) -> Optional[re.Match[Any]]:
    """The match in another text, by the strictest kind of search that finds this one: the third one for the third.

    The search begins and ends as far from both ends of the text.
    """
    known = (match.string, match.pos, match.endpos)
    limits = match.pos, max(len(text) - (len(match.string) - match.endpos), 0)
    for _, way in _at_start(match):
        if _is_same(way(*known), match):
            return way(text, *limits)
    number = sum(1 for _ in _up_to(match))
    alike = list(islice(match.re.finditer(text, *limits), number))
    return alike[-1] if alike else None


def _at_start(match: re.Match[Any]) -> List[Tuple[str, Callable[..., Optional[re.Match[Any]]]]]:
    """The searches that match at the start alone, with their names: all of the text only where this match is all of it.

    To find that a pattern does not match all of a text may take for ever.
    """
    is_of_all = match.span() == (match.pos, match.endpos)
    ways: List[Tuple[str, Callable[..., Optional[re.Match[Any]]]]] = [("match", match.re.match)]
    return [("fullmatch", match.re.fullmatch), *ways] if is_of_all else ways


def _up_to(match: re.Match[Any]) -> Iterator[re.Match[Any]]:
    """What a search finds in its own text up to this match; not very many."""
    found = match.re.finditer(match.string, match.pos, match.endpos)
    return islice(takewhile(lambda each: each.start() <= match.start(), found), MOST_BEFORE)


def _is_same(found: Optional[re.Match[Any]], match: re.Match[Any]) -> bool:
    return found is not None and found.regs == match.regs
