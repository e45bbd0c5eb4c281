"""Texts of recorded calls with one token less, one twice, or one of another text or another number in its place.

What reads a language of its own (markup, a formula, a pattern) takes few texts that are drawn at random. One token away
from a real text it still understands most, and comes to cases that no real text shows: an element without content.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Iterator, List, Sequence, Tuple

if TYPE_CHECKING:
    from random import Random

    from .call_parts import Root

CHANGED = "token of a text changed"
LONGEST_TEXT = 2_000  # characters
LONGEST_TOKEN = 40  # of another text
OTHERWISE_WRITTEN = 0.6  # of the numbers that are replaced
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_NUMBERS = ("-%s", "-%s", "0", "0%s", "+%s", "%s.5", "%s0")
_OPERATIONS = ("less", "less", "less", "twice", "another")

Place = Tuple[int, Any, str]  # the call's number, the argument's index or name, its text


def token_changes(roots: Sequence[Root], random: Random) -> Iterator[Tuple[int, Root]]:
    """Calls like these, each with its number, without end; none if no argument is a text with several tokens."""
    known = list(_places(roots))
    if not known:
        return
    while True:
        number, at, text = random.choice(known)
        args, kwargs = roots[number]
        changed = _changed(text, random.choice(known)[2], random)
        if changed == text:
            continue
        if type(at) is int:
            yield number, [[*args[:at], changed, *args[at + 1 :]], kwargs]
        else:
            yield number, [args, {**kwargs, at: changed}]


def _places(roots: Sequence[Root]) -> Iterator[Place]:
    for number, (args, kwargs) in enumerate(roots):
        for at, value in (*enumerate(args), *kwargs.items()):
            if type(value) is str and len(value) <= LONGEST_TEXT and len(_TOKEN.findall(value)) > 1:
                yield number, at, value


def _changed(text: str, other: str, random: Random) -> str:
    tokens: List[str] = _TOKEN.findall(text)
    at = random.randrange(len(tokens))
    operation = random.choice(_OPERATIONS)
    if operation == "less":
        new = []
    elif operation == "twice":
        new = [tokens[at]] * 2
    elif tokens[at].isdigit() and random.random() < OTHERWISE_WRITTEN:
        form = random.choice(_NUMBERS)
        new = [form % tokens[at] if "%" in form else form]
    else:
        new = [random.choice(_TOKEN.findall(other))[:LONGEST_TOKEN]]
    return "".join([*tokens[:at], *new, *tokens[at + 1 :]])
