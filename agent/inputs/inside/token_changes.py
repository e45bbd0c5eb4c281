"""Texts of recorded calls with one token less, one twice, or one of another text, or otherwise written, in its place.

What reads a language of its own (markup, a formula, a pattern) takes few texts that are drawn at random. One token away
from a real text it still understands most, and comes to cases that no real text shows: an element without content.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Dict, Iterator, List, Sequence, Tuple

from .call_parts import Place, Root, places, with_value

if TYPE_CHECKING:
    from random import Random

CHANGED = "token of a text changed"
LONGEST_TEXT = 2_000  # characters
LONGEST_TOKEN = 40  # of another text
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_NUMBERS = ("-%s", "-%s", "0", "0%s", "+%s", "%s.5", "%s0")
# What code looks at to tell one kind of word from another: capitals, and what stands before the first letter.
_MARKED = ("'%s", '"%s', "-%s", ".%s", "_%s", "1%s", "%s'", "%s.", "%s1")
_CASES = (str.lower, str.upper, str.capitalize, str.swapcase)
MARKED = 0.5  # of these words
BLANKS = (" ", "\t", "\n", "\xa0", "\u2003")  # `split` and `strip` take all of them, `split(" ")` one
_OPERATIONS = ("less", "less", "less", "twice", "another", "otherwise written", "otherwise written", "blank beside")


def token_changes(roots: Sequence[Root], random: Random) -> Iterator[Tuple[int, Root]]:
    """Calls like these, each with its number, without end; none if no text in them has several tokens.

    Each argument with such a text comes up as often as another, however many texts it holds.
    """
    known = _texts(roots)
    if not known:
        return
    arguments = list(known)
    while True:
        argument = random.choice(arguments)
        place = random.choice(known[argument])
        other = random.choice(known[random.choice(arguments)])
        changed = _changed(place.value, other.value, random)
        if changed != place.value:
            yield argument[0], with_value(roots[argument[0]], place, changed)


def _texts(roots: Sequence[Root]) -> Dict[Tuple[int, str], List[Place]]:
    """The places of texts with several tokens, by the number of the call and the argument."""
    found: Dict[Tuple[int, str], List[Place]] = {}
    for number, root in enumerate(roots):
        for place in places(root):
            text = place.value
            if type(text) is str and len(text) <= LONGEST_TEXT and len(_TOKEN.findall(text)) > 1:
                found.setdefault((number, place.site[0]), []).append(place)
    return found


def _changed(text: str, other: str, random: Random) -> str:
    tokens: List[str] = _TOKEN.findall(text)
    at = random.randrange(len(tokens))
    operation = random.choice(_OPERATIONS)
    if operation == "less":
        new = []
    elif operation == "twice":
        new = [tokens[at]] * 2
    elif operation == "blank beside":
        new = random.sample([tokens[at], random.choice(BLANKS)], 2)
    elif operation == "otherwise written":
        new = [_otherwise_written(tokens[at], random)]
    else:
        new = [random.choice(_TOKEN.findall(other))[:LONGEST_TOKEN]]
    return "".join([*tokens[:at], *new, *tokens[at + 1 :]])


def _otherwise_written(token: str, random: Random) -> str:
    if token.isdigit():
        form = random.choice(_NUMBERS)
        return form % token if "%" in form else form
    if not token.isalnum():
        return random.choice(BLANKS) if token.isspace() else token * 2
    in_case = random.choice(_CASES)(token)
    return random.choice(_MARKED) % token if in_case == token or random.random() < MARKED else in_case
