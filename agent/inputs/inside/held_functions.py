"""Other functions in the place of those that callers have given to an object: rules, keys, listeners.

A class whose constructor takes no functions makes no object with others, and its methods only combine those that it
has. So the function is exchanged in a copy of the call. What the class itself has made, or keeps in private, stays: a
rewrite may rely on it.
"""

from __future__ import annotations

import contextlib
from itertools import islice
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Iterator, List, Sequence, Set, Tuple

from ....sandbox.driver.call_blobs import NotCopyable, copied
from .call_parts import Root, children, fields, places
from .container_kinds import SEQUENCES
from .edge_values import FEW

MOST_HELD = 4  # functions of a call that are exchanged
MOST_ITEMS = 3  # sequences whose elements the others know
FEW_KNOWN = 2  # elements for which a made function does otherwise than for the rest
DEEPEST = 6
MOST_LOOKED_AT = 200  # values of one level
WITHIN = "within an object: "  # so begin the kinds of calls with such a function in place of one that an object holds
RAISING = "function that raises for some elements"
TRUE_OF_SOME = "function that is true of some elements"
_FUNCTIONS = (FunctionType, BuiltinFunctionType)

Way = Tuple[Any, ...]  # keys, from the root on


def functions_for(values: Sequence[Any]) -> Iterator[Tuple[str, Any]]:
    """Functions that raise ValueError for all of these values but the first few, or that return 0 for all others.

    So a key fails when some of the work is done, and a predicate does not hold for all; its results are numbers, and an
    element may not be hashable. They are methods of tuples, which can be copied everywhere.
    """
    items = tuple(islice(values, FEW))
    if len(items) > FEW_KNOWN:
        yield RAISING, items[:FEW_KNOWN].index
        yield TRUE_OF_SOME, items[1:][:FEW_KNOWN].count
        yield TRUE_OF_SOME, items[:FEW_KNOWN].count


def with_other_functions(root: Root) -> Iterator[Tuple[str, Root]]:
    """The call with each of the functions that its objects hold exchanged, one at a time."""
    values = [each.value for each in places(root) if type(each.value) in (str, *SEQUENCES)]
    known = [value for value in values if len(value) > FEW_KNOWN][:MOST_ITEMS]
    for path in islice(_ways(root), MOST_HELD):
        for value in known:
            for kind, function in functions_for(value):
                with contextlib.suppress(NotCopyable, LookupError, AttributeError, TypeError):
                    # It may be read-only, in a container of another kind, or gone from the copy.
                    yield WITHIN + kind, _with(copied(root), path, function)


def _ways(root: Root) -> Iterator[Way]:
    """The ways to functions that objects hold; those in arguments and containers are exchanged like other values."""
    level: List[Tuple[Any, Way, bool]] = [(root, (), False)]
    seen: Set[int] = set()
    for _ in range(DEEPEST):
        below: List[Tuple[Any, Way, bool]] = []
        for holder, way, is_inside in level:
            if id(holder) in seen:
                continue
            seen.add(id(holder))
            is_held = is_inside or bool(fields(holder))
            for key, label, value in children(holder):
                is_private = label.startswith("._")
                if type(value) in _FUNCTIONS and is_held and not is_private and _is_from_outside(value):
                    yield (*way, key)
                elif not is_private and len(below) < MOST_LOOKED_AT:
                    below.append((value, (*way, key), is_held))
        level = below


def _is_from_outside(function: Any) -> bool:
    """Whether no method of a class has made it, and it is no method of some object."""
    owner = getattr(function, "__self__", None)
    if owner is not None and type(owner) is not ModuleType:
        return False
    maker, _, inner = function.__qualname__.partition(".<locals>")
    return not (inner and "." in maker)


def _with(holder: Any, way: Way, function: Any) -> Any:
    """A holder, which nobody else knows, with another function at the end of a way."""
    key, *rest = way
    kind = type(holder)
    is_object = bool(fields(holder))
    inner = fields(holder)[key] if is_object else holder[key]
    new = _with(inner, tuple(rest), function) if rest else function
    if is_object:
        object.__setattr__(holder, key, new)
    elif kind is tuple:
        return (*holder[:key], new, *holder[key + 1 :])
    else:
        holder[key] = new
    return holder
