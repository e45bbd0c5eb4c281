"""Puts an element of another kind, from another real call, into a sequence of elements of one kind.

A function that takes a list of numbers, and refuses a list of lists, may look at each element for its kind. Whether a
rewrite does so, too, shows on a list in which one element alone is of the other kind.
"""

from __future__ import annotations

import contextlib
from itertools import islice
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Tuple

from .call_parts import Place, Root, Site, children, like, with_value
from .container_kinds import SEQUENCES, NotBuildableError, container_kind, plain_of

if TYPE_CHECKING:
    from .related_values import Related

MIXED = "an element of another kind that real calls have"
MOST_ELEMENTS = 16  # of one sequence that are looked at
MOST_KINDS = 4  # of other elements for one sequence


class ElementKinds:
    """Knows an element of each type that an argument that is a sequence has, by the place of the argument."""

    def __init__(self, roots: Iterable[Root]) -> None:
        self._known: Dict[Site, Dict[type, Any]] = {}
        for root in roots:
            for label, value in _arguments(root):
                known = self._known.setdefault((label,), {})
                for element in islice(plain_of(value), MOST_ELEMENTS):
                    known.setdefault(type(element), element)

    def mixed(self, root: Root, place: Place, returns: Callable[[Root], bool]) -> Iterator[Related]:
        """The call with such an element last in an argument, first, and after the last one.

        Only if the original `returns` from all three does it take such lists: one that stops at what decides may
        return from some of them without having looked at that element.
        """
        known = self._known.get(place.site, {})
        items = list(plain_of(place.value)) if container_kind(place.value) in SEQUENCES else []
        own = set(map(type, items))
        others = [each for kind, each in known.items() if kind not in own] if items else []
        for other in others[:MOST_KINDS]:
            made = list(_with_element(root, place, items, other))
            if made and all(map(returns, made)):
                yield from ((MIXED, each) for each in made)


def _with_element(root: Root, place: Place, items: List[Any], other: Any) -> Iterator[Root]:
    with contextlib.suppress(NotBuildableError):
        for mixed in ([*items[:-1], other], [other, *items[1:]], [*items, other]):
            yield with_value(root, place, like(place.value, mixed))


def _arguments(root: Root) -> Iterator[Tuple[str, Any]]:
    """The sequences among the arguments of a call, by the names of their places."""
    for holder in root:
        for _, label, value in children(holder, is_argument=True):
            if container_kind(value) in SEQUENCES:
                yield label, value
