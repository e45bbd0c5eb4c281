"""Texts in two arguments of one call that are alike, but equal only after one of several ways to fold them."""

from __future__ import annotations

from itertools import combinations, islice
from typing import Iterator, List, Tuple

from .call_parts import Root, Site, places, with_value

ALIKE = (
    *(("stra\xdfe", "STRASSE"), ("STRASSE", "stra\xdfe"), ("\u0131", "I"), ("i", "\u0130")),
    *(("\u03c3", "\u03c2"), ("\xe9", "e\u0301"), ("\ufb01", "FI"), ("k", "\u212a")),
)
MOST_PAIRS = 4  # of places

Spot = Tuple[Site, bool]  # where the text is; or the table that has it as its first key


def alike_texts(root: Root) -> Iterator[Tuple[str, Root]]:
    """The call with such texts as arguments, or as elements, values or keys in them."""
    spots = [_spots_in(root, place.site) for place in places(root) if len(place.site) == 1]
    pairs = [(one, other) for first, second in combinations(spots, 2) for one in first for other in second]
    for left, right in ALIKE:
        for one, other in islice(pairs, MOST_PAIRS):
            yield "texts that are alike", _with_text(_with_text(root, one, left), other, right)


def _spots_in(root: Root, argument: Site) -> List[Spot]:
    """Where an argument has its first text, and whether it is a table with a text as its first key."""
    found: List[Spot] = []
    for place in places(root):
        if place.site[:1] != argument:
            continue
        if place.site == argument and type(place.value) is dict and type(next(iter(place.value), None)) is str:
            found.append((argument, True))
        if type(place.value) is str:
            return [*found, (place.site, False)]
    return found


def _with_text(root: Root, spot: Spot, text: str) -> Root:
    site, is_key = spot
    place = next((each for each in places(root) if each.site == site), None)
    if place is None:
        return root
    if not is_key:
        return with_value(root, place, text)
    (_, first), *rest = place.value.items()
    return with_value(root, place, {text: first, **dict(rest)})
