"""Runs of consecutive values: days, or numbers.

A collection of a few values spread wide, as real calls have them, never fills a window, a calendar or a table.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from typing import Any, Callable, Dict, Iterator, List

from .call_parts import Place, Root, places, with_value
from .container_kinds import SEQUENCES

RUN = 100
_NEXT: Dict[type, Callable[[Any, int], Any]] = {
    int: lambda first, steps: first + steps,
    dt.date: lambda first, steps: first + dt.timedelta(days=steps),
    dt.datetime: lambda first, steps: first + dt.timedelta(days=steps),
}


def value_runs(root: Root, place: Place) -> Iterator[Root]:
    """The call with a run in the place of a collection of such values.

    It begins with the collection's first value, or with the smallest or the largest of these that stand elsewhere.
    """
    kind = type(place.value)
    if kind not in (*SEQUENCES, set, frozenset) or not place.value:
        return
    own = next(iter(place.value))
    step = _NEXT.get(type(own))
    if step is None:
        return
    others = [other.value for other in places(root) if other.holder is not place.value]
    for first in (own, *_ends([value for value in others if type(value) is type(own)])):
        with contextlib.suppress(OverflowError):  # no year is beyond the last one
            yield with_value(root, place, kind([step(first, steps) for steps in range(RUN)]))


def _ends(values: List[Any]) -> List[Any]:
    """The largest and the smallest; nothing where they have no order, as times with a zone and without."""
    with contextlib.suppress(TypeError):
        return [max(values), min(values)] if values else []
    return []
