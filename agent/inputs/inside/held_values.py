"""Which of some numbers and texts occur in the arguments of a call: among its values, or as the size of one.

The host puts this text into a program that gets the calls of a workload; see `judge/known_values.py`.
"""

from __future__ import annotations

from typing import Any, List, Sequence

MOST_PARTS = 1_000_000
MOST_OF_ARRAY = 10_000
LONG = 4  # characters: a text of so many counts where it is a part of another, too
_CONTAINERS = ("list", "tuple", "set", "frozenset", "deque", "dict", "OrderedDict", "defaultdict", "Counter")


def held_values(values: Sequence[Any], given: Any) -> str:
    """The places of those values that occur, as in `"0,3"`. A number counts whatever its sign."""
    numbers = {value: place for place, value in enumerate(values) if type(value) is not str}
    texts = {value: place for place, value in enumerate(values) if type(value) is str}
    long = [(text, place) for text, place in texts.items() if len(text) >= LONG]
    found = set()
    waiting: List[Any] = [given]
    met = set()
    for _ in range(MOST_PARTS):
        if not waiting:
            break
        part = waiting.pop()
        if type(part) in (int, float):
            found.add(numbers.get(abs(part)))
        elif type(part) is str:
            found.update((texts.get(part), numbers.get(len(part))))
            found.update(place for text, place in long if text in part)
        elif id(part) not in met:
            met.add(id(part))
            inner = _inside(part)
            found.add(numbers.get(len(inner)))
            waiting += inner
    return ",".join(map(str, sorted(place for place in found if place is not None)))


def _inside(part: Any) -> List[Any]:
    """What a value holds, as far as it can be looked into."""
    kind = type(part)
    if kind.__name__ in _CONTAINERS:
        return [*part, *part.values()] if issubclass(kind, dict) else list(part)
    if hasattr(kind, "to_numpy"):
        part = part.to_numpy()
    if hasattr(part, "shape") and hasattr(part, "tolist"):
        return [*part.reshape(-1)[:MOST_OF_ARRAY].tolist(), *part.shape]
    held = getattr(part, "__dict__", None)
    return list(held.values()) if type(held) is dict else []
