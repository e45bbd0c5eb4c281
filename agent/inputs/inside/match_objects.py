"""Matches of regular expressions as values with parts: the text that was searched, and what of it was found.

Another text makes another match of the same pattern, as the same kind of search finds it there.
"""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import Any, Callable, Dict, List, Mapping, Optional

from .container_kinds import NotBuildableError

_TEXT = "string"  # as the match itself calls it
_FOUND = "group"


def match_parts(match: re.Match[Any]) -> Dict[str, Any]:
    """The text, and what was found in it unless that is all of it."""
    parts = {_TEXT: match.string}
    return parts if match.span() == (0, len(match.string)) else {**parts, _FOUND: match.group()}


def match_with(match: re.Match[Any], changed: Mapping[str, Any]) -> re.Match[Any]:
    """The match that is found in another text, or where another one stands in place of what was found.

    Raises:
        NotBuildableError: the pattern does not match there.
    """
    text, found = changed.get(_TEXT, match.string), changed.get(_FOUND, match.group())
    is_other_type = type(text) is not type(match.string) or type(found) is not type(match.group())
    if is_other_type or changed.keys() == {_TEXT, _FOUND}:
        raise NotBuildableError("Match")
    start, end = match.span()
    if _FOUND in changed:
        text = text[:start] + found + text[end:]
    made = _found_alike(match, text)
    if made is None or (_FOUND in changed and made.span() != (start, start + len(found))):
        raise NotBuildableError("Match")
    return made


def regex_text(value: Any, text: Callable[[Any], str]) -> str:
    """A match or a pattern as Python, empty for a value of another kind; `text` writes what was searched."""
    if type(value) is re.Match:
        return _match_text(value, text)
    return _pattern_text(value) if type(value) is re.Pattern else ""


def _match_text(match: re.Match[Any], text: Callable[[Any], str]) -> str:
    pattern, searched = match.re, match.string
    limits = () if (match.pos, match.endpos) == (0, len(searched)) else (match.pos, match.endpos)
    given = [text(searched), *map(repr, limits)]
    by_name = "%s.%%s(%s)" % (_pattern_text(pattern), ", ".join(given))
    for name in ("search", "match", "fullmatch"):
        found = getattr(pattern, name)(searched, match.pos, match.endpos)
        if found is not None and found.regs == match.regs:
            return by_name % name
    for number, found in enumerate(pattern.finditer(searched, match.pos, match.endpos)):
        if found.regs == match.regs:
            return "list(%s)[%d]" % (by_name % "finditer", number)
    return "<Match>"


def _pattern_text(pattern: re.Pattern[Any]) -> str:
    usual = re.compile(pattern.pattern[:0]).flags  # of each pattern of a text
    flags = re.RegexFlag(pattern.flags & ~usual)
    names = [each.name or "" for each in re.RegexFlag if each in flags and each.name]
    given = [ascii(pattern.pattern), *([" | ".join("re." + name for name in names)] if names else [])]
    return "re.compile(%s)" % ", ".join(given)


def _found_alike(match: re.Match[Any], text: Any) -> Optional[re.Match[Any]]:
    """The match in another text, by the strictest kind of search that finds this one: the third one for the third.

    The search begins and ends as far from both ends of the text.
    """
    pattern, known = match.re, (match.string, match.pos, match.endpos)
    limits = match.pos, max(len(text) - (len(match.string) - match.endpos), 0)
    is_of_all = match.span() == (match.pos, match.endpos)
    ways: List[Callable[..., Optional[re.Match[Any]]]] = [pattern.fullmatch] if is_of_all else []
    ways.append(pattern.match)
    for way in ways:
        found = way(*known)
        if found is not None and found.regs == match.regs:
            return way(text, *limits)
    before = takewhile(lambda each: each.regs != match.regs, pattern.finditer(*known))
    alike = list(islice(pattern.finditer(text, *limits), 1 + sum(1 for _ in before)))
    return alike[-1] if alike else None
