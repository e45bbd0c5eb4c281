"""How matches of regular expressions are pickled, which Python cannot do: by what finds them again."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Tuple

if TYPE_CHECKING:
    import re
else:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

MOST_BEFORE = 256  # matches in the text before the one that is looked for: each is looked for anew


def reduced_match(value: re.Match[Any]) -> Any:
    """What pickle has to write for a match; `NotImplemented` where no search in its text finds it again."""
    given = (value.re, value.string, value.pos, value.endpos, value.regs)
    if next(_found(*given), None) is None:
        return NotImplemented
    return match_again, given


def match_again(pattern: re.Pattern[Any], text: Any, start: int, end: int, regs: Tuple[Any, ...]) -> re.Match[Any]:
    """The match that a search of `text[start:end]` finds with these limits of its groups.

    Raises:
        ValueError: none does.
    """
    for found in _found(pattern, text, start, end, regs):
        return found
    raise ValueError("no search finds the match again")


def _found(pattern: Any, text: Any, start: int, end: int, regs: Tuple[Any, ...]) -> Iterator[re.Match[Any]]:
    """By the ways that take no longer than the search that found it at first."""
    yield from _alike([pattern.match(text, start, end)], regs)
    if regs[0] == (start, end):
        yield from _alike([pattern.fullmatch(text, start, end)], regs)
    before_its_end = takewhile(lambda found: found.start() <= regs[0][0], pattern.finditer(text, start, end))
    yield from _alike(islice(before_its_end, MOST_BEFORE), regs)


def _alike(found: Iterable[Any], regs: Tuple[Any, ...]) -> Iterator[re.Match[Any]]:
    return (each for each in found if each is not None and each.regs == regs)
