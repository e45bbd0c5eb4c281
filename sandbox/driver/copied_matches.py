"""How matches of regular expressions are pickled, which Python cannot do: by what finds them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Tuple

if TYPE_CHECKING:
    import re
else:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there


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
    """The last way may take very long where the others have found nothing: it tries all that a pattern allows."""
    ways = (lambda: [pattern.match(text, start, end)], lambda: pattern.finditer(text, start, end))
    for way in (*ways, lambda: [pattern.fullmatch(text, start, end)]):
        yield from (found for found in way() if found is not None and found.regs == regs)
