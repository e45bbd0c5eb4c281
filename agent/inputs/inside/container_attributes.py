"""Attributes of objects that their parts do not show.

These are the attributes of containers and named tuples of the user's own classes, and those that are None. Of a
`Patch(list)`, the elements are varied as those of any list. Its timestamp is varied only if the constructor takes it by
that name and nothing else that it sets hangs on it, so that no object comes up which the class forbids.
"""

from __future__ import annotations

import copy
import functools
import itertools
from typing import Any, Dict, Iterator, List, Tuple

from ....sandbox.driver.call_blobs import dump_item
from .call_parts import Place, Root, constructor_parameters, with_value
from .container_kinds import NotBuildableError, is_named_tuple, of_user_class
from .edge_values import edges, in_turns
from .type_hints import Unusable, parameter_shapes, scalars_in

MOST_ATTRIBUTES = 12  # of one object
MOST_NEAR = 16  # values for one attribute
HINTED = "value that a hint allows"


def with_other_attributes(root: Root, place: Place) -> Iterator[Tuple[str, Root]]:
    """The call with another value for each attribute of a container in a place, in turns, with the kind of the value.

    An attribute that is None gets what the constructor's hint names beside None.
    """
    if not of_user_class(place.value) and not is_named_tuple(type(place.value)):
        return
    held: Dict[str, Any] = getattr(place.value, "__dict__", {})
    try:
        needed = constructor_parameters(type(place.value))
    except NotBuildableError:
        return
    names = [name for name in needed if name in held][:MOST_ATTRIBUTES]
    yield from in_turns([_with_other(root, place, name, held[name]) for name in names])


def instead_of_none(place: Place) -> List[Any]:
    """The plainest values that the hint of a constructor names for an attribute; none if the holder is no object."""
    kind: Any = type(place.holder)
    return _plainest(kind).get(place.key, []) if place.site[-1].startswith(".") else []


def _with_other(root: Root, place: Place, name: str, present: Any) -> Iterator[Tuple[str, Root]]:
    own: Any = type(place.value)
    hinted = ((HINTED, value) for value in _plainest(own).get(name, ()))
    near = hinted if present is None else edges(present)
    for kind, value in itertools.islice(near, MOST_NEAR):
        changed = _with_attribute(place.value, name, value)
        if changed is None:
            return
        yield kind, with_value(root, place, changed)


def _with_attribute(container: Any, name: str, value: Any) -> Any:
    """A copy with another attribute; None if its class makes none."""
    try:
        if not _is_independent(container, name, value):
            return None
        changed = copy.copy(container)
        vars(changed)[name] = value
    except Exception:  # noqa: BLE001 - whatever the class says, there is no such object
        return None
    return changed if type(changed) is type(container) and vars(changed) is not vars(container) else None


def _is_independent(container: Any, name: str, value: Any) -> bool:
    """Whether the constructor stores this value under its name, and sets all else as it does without it.

    Raises:
        Exception: whatever the constructor raises, or else if no object can be made this way.
    """
    kind: Any = type(container)
    held = vars(container)
    known = {**dict(zip(getattr(kind, "_fields", ()), container)), **held}  # noqa: B905 - Python 3.9 has no strict
    given = {each: known[each] for each, is_needed in constructor_parameters(kind).items() if is_needed}
    one, other = kind(**{**given, name: held[name]}), kind(**{**given, name: value})
    if vars(one)[name] is not held[name] or vars(other)[name] is not value:
        return False
    return dump_item({**vars(one), name: None}) == dump_item({**vars(other), name: None})


@functools.lru_cache(maxsize=256)
def _plainest(kind: type) -> Dict[str, List[Any]]:
    """The plainest values of the scalar types that the hints of a constructor name, by parameter."""
    try:
        shapes = parameter_shapes(kind, "", skip_first=False)
    except Unusable:
        return {}
    return {name: list(scalars_in(shape)) for name, (shape, _, _) in shapes.items()}
