"""Sequences with an element of another kind than their own, of those that real calls have in the same place.

A function whose real calls give it numbers, and lists in their place to see them refused, decides element by element.
Whether a rewrite looks at each of them shows where one alone is of the other kind.
"""

from __future__ import annotations

import contextlib
from itertools import islice
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, Tuple

from .call_parts import Place, Root, Site, children, like
from .container_kinds import SEQUENCES, NotBuildableError, container_kind, plain_of

if TYPE_CHECKING:
    from .open_values import Edge

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

    def mixed(self, place: Place) -> Iterator[Edge]:
        """The sequence with such an element for its last one, for its first one, and after its last one."""
        known = self._known.get(place.site, {})
        items = list(plain_of(place.value)) if container_kind(place.value) in SEQUENCES else []
        if not items:
            return
        own = set(map(type, items))
        others = [each for kind, each in known.items() if kind not in own]
        with contextlib.suppress(NotBuildableError):
            for other in others[:MOST_KINDS]:
                for made in ([*items[:-1], other], [other, *items[1:]], [*items, other]):
                    yield MIXED, like(place.value, made)


def _arguments(root: Root) -> Iterator[Tuple[str, Any]]:
    """The sequences among the arguments of a call, by the names of their places."""
    for holder in root:
        for _, label, value in children(holder, is_argument=True):
            if container_kind(value) in SEQUENCES:
                yield label, value
