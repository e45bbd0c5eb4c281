"""The parts of a call: which values stand where in it, and the same call with another value in a place.

Nothing is changed in place, and what is the same object in two places stays one. An object is made by its constructor,
so that none comes up which its class forbids; of the user's classes no other code runs. Only what its class leaves to
those who use it is set on a copy (`client_attributes`).
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import re
import sys
from itertools import islice
from types import MemberDescriptorType
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Sequence, Set, Tuple

from ....sandbox.driver.call_blobs import NotCopyable, dump_item
from .client_attributes import changed_by_methods
from .constructor_calls import holds_args_alone, take_positional, takes_args_alone
from .container_kinds import (
    ATOMS,
    HEAP_TYPE,
    MAPPINGS,
    SEQUENCES,
    SETS,
    NotBuildableError,
    alike,
    container_kind,
    is_named_tuple,
    of_user_class,
    plain_of,
)
from .match_objects import match_parts, match_with

MAX_PLACES = 400
MAX_PER_HOLDER = 16  # children of one container that are looked at: the first ones, and the last
MANY = 3  # of one length, before that is taken for a rule
SHORT_TUPLE = 8  # up to this length the places of a tuple mean different things
_PLAIN = (*MAPPINGS, *SEQUENCES)
_OLD_STANDARD = ("fractions", "decimal", "datetime", "pathlib", "ipaddress", "uuid", "inspect", "collections", "typing")
_STANDARD = frozenset(getattr(sys, "stdlib_module_names", _OLD_STANDARD))  # Python 3.9 has no list of them


_OPEN: Tuple[Any, ...] = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_NAMELESS: Tuple[Any, ...] = (inspect.Parameter.POSITIONAL_ONLY,)

Root = List[Any]  # [positional arguments, keyword arguments]
Site = Tuple[str, ...]  # the way to a place, with every index of a list as one


class Place(NamedTuple):
    """A value and where it stands. `is_data`: no object on the way there may have ideas of its own about its parts."""

    holder: Any
    key: Any
    value: Any
    site: Site
    is_data: bool


def root_of(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Root:
    """The arguments of a call as one value."""
    return [list(args), dict(kwargs)]


def places(root: Root) -> Iterator[Place]:
    """Every place of a call, arguments first, then what is in them, level by level; of large containers only a part."""
    level: List[Tuple[Any, Site, bool]] = [(root[0], (), True), (root[1], (), True)]
    seen = set()
    told = 0
    while level and told < MAX_PLACES:
        below: List[Tuple[Any, Site, bool]] = []
        for holder, site, is_data in level:
            if id(holder) in seen:
                continue
            seen.add(id(holder))
            is_plain = container_kind(holder) in _PLAIN or is_named_tuple(type(holder)) or is_dataclass(type(holder))
            for key, label, value in children(holder, is_argument=not site):
                place = Place(holder, key, value, (*site, label), is_data and is_plain)
                yield place
                told += 1
                below.append((value, place.site, place.is_data))
        level = below


def children(holder: Any, *, is_argument: bool = False) -> List[Tuple[Any, str, Any]]:
    """(key, what the place is called, value) of what a container or a record holds directly."""
    kind = container_kind(holder)
    holder = plain_of(holder)
    if kind in SEQUENCES or is_named_tuple(kind):
        items = list(holder)
        is_fixed = is_argument or (issubclass(kind, tuple) and len(items) <= SHORT_TUPLE)
        return [(index, str(index) if is_fixed else "*", items[index]) for index in _shown(len(items))]
    if kind in MAPPINGS:
        names = list(holder)
        names_alone = all(type(name) is str for name in names)
        return [
            (names[index], names[index] if names_alone else "*", holder[names[index]]) for index in _shown(len(names))
        ]
    return [(name, "." + name, value) for name, value in fields(holder).items()]


def fixed_sites(roots: Iterable[Root]) -> Set[Site]:
    """Where tuples, lists and tables always have the same length or the same keys: records, rows of a matrix.

    Another length there would be no input for the function. That one object has the same attribute in all calls says
    nothing of others.
    """
    forms: Dict[Site, List[Any]] = {}
    for root in roots:
        for place in places(root):
            kind = type(place.value)
            if kind is tuple or (len(place.site) > 1 and (kind is list or kind in MAPPINGS)):
                forms.setdefault(place.site, []).append(place.value)
    for site, values in forms.items():
        if site[-1].startswith("."):
            forms[site] = _different(values)
    return {site for site, values in forms.items() if _have_one_form(values, is_argument=len(site) == 1)}


def _different(values: List[Any]) -> List[Any]:
    """Those of these values that hold something else than the ones before; each of which no copy can be made."""
    known: Dict[Any, Any] = {}
    for value in values:
        try:
            known.setdefault(dump_item(value), value)
        except (NotCopyable, RecursionError, MemoryError):
            known[id(value)] = value
    return list(known.values())


def _have_one_form(values: List[Any], *, is_argument: bool) -> bool:
    kind = type(values[0])
    if any(type(value) is not kind or len(value) != len(values[0]) for value in values) or not values[0]:
        return False
    if kind is tuple:
        return len(values[0]) <= SHORT_TUPLE and (not is_argument or len(set(map(type, values[0]))) > 1)
    if kind is list:
        return len(values) >= MANY and len(values[0]) > 1
    names = list(values[0])
    return (
        len(values) >= MANY
        and all(type(name) is str for name in names)
        and all(list(value) == names for value in values)
    )


def with_value(root: Root, place: Place, value: Any) -> Root:
    """The call with another value in a place, and wherever else the holder of that place is passed.

    The call as it is, if an object on the way there cannot be made with it.
    """
    try:
        return substituted(root, place.holder, put(place.holder, place.key, value))
    except NotBuildableError:
        return root


def with_values(root: Root, values: Sequence[Tuple[Place, Any]]) -> Root:
    """The same with other values in several places at once, none of which is within another."""
    holders = {id(place.holder): place.holder for place, _ in values}
    changed: Dict[int, Dict[Any, Any]] = {}
    for place, value in values:
        changed.setdefault(id(place.holder), {})[place.key] = value
    try:
        known = {number: put_all(holder, changed[number]) for number, holder in holders.items()}
        return [_rebuilt(part, known, set()) for part in root]
    except NotBuildableError:
        return root


def substituted(root: Root, old: Any, new: Any) -> Root:
    """The call with `new` for the object `old`, wherever it stands.

    Raises:
        NotBuildableError: an object that holds it cannot be made with the other.
    """
    return [_rebuilt(part, {id(old): new}, set()) for part in root]


def put(holder: Any, key: Any, value: Any) -> Any:
    """A container or a record like this one with another value under a key.

    Raises:
        NotBuildableError: its class does not allow that.
    """
    return put_all(holder, {key: value})


def put_all(holder: Any, values: Mapping[Any, Any]) -> Any:
    """The same with other values under several keys at once: a class may allow them only together.

    Raises:
        NotBuildableError: its class does not allow that.
    """
    kind = container_kind(holder)
    if kind in MAPPINGS:
        copied = plain_of(holder).copy()
        for key, value in values.items():
            copied[key] = value
        return alike(holder, copied)
    if kind in SEQUENCES or is_named_tuple(kind):
        items = list(plain_of(holder))
        for key, value in values.items():
            items[key] = value
        return like(holder, items)
    return record_with(holder, values)


def like(container: Any, items: Sequence[Any]) -> Any:
    """A list, tuple, named tuple, set or deque of the same kind with these items; a text of these pieces.

    Raises:
        NotBuildableError: its class does not allow that.
    """
    kind = container_kind(container)
    if kind is str:
        return "".join(items)
    if is_named_tuple(kind):
        return _named_tuple(kind, items)
    if kind is collections.deque:
        return alike(container, collections.deque(items, container.maxlen))
    return alike(container, kind(items))


def _named_tuple(kind: Any, items: Sequence[Any]) -> Any:
    """What the class makes of these items, if it then holds just these: its `__new__` may check or change them."""
    try:
        made = kind(*items)
    except Exception as error:  # whatever it says, there is no such tuple
        raise NotBuildableError(kind.__name__) from error
    if type(made) is not kind or list(map(id, made)) != list(map(id, items)):
        raise NotBuildableError(kind.__name__)
    return made


def is_dataclass(kind: type) -> bool:
    """Whether it is a dataclass; the module of that name takes a while to import."""
    return "__dataclass_fields__" in vars(kind)


def attributes(value: Any) -> Dict[str, Any]:
    """All that an object holds by name, in its dictionary and in the slots of the user's classes."""
    held: Dict[str, Any] = {}
    kind: Any = type(value)
    for name, member in slots(kind).items():
        with contextlib.suppress(AttributeError):  # nothing was stored there yet
            held[name] = member.__get__(value)
    with contextlib.suppress(AttributeError):
        held.update(object.__getattribute__(value, "__dict__"))
    return held


def fields(value: Any) -> Dict[str, Any]:
    """The attributes of a plain object or an exception, by name, and the texts of a match; else empty."""
    kind = type(value)
    if takes_args_alone(kind) and not attributes(value):
        return {"args": value.args}
    if kind is re.Match:
        return match_parts(value)
    if not kind.__flags__ & HEAP_TYPE or isinstance(value, type) or hasattr(kind, "__members__"):
        return {}
    if not all(base is object or base.__flags__ & HEAP_TYPE or holds_args_alone(base) for base in kind.__mro__):
        return {}
    names = vars(kind)["__dataclass_fields__"] if is_dataclass(kind) else attributes(value)
    found = {}
    for name in names:
        try:
            found[name] = object.__getattribute__(value, name)
        except AttributeError:
            continue
    return found


def record_with(value: Any, changed: Mapping[str, Any]) -> Any:
    """An object like this one with some attributes changed, as its constructor makes it from its attributes.

    Raises:
        NotBuildableError: the constructor refuses, or takes something else than attributes.
    """
    return record_as(type(value), value, changed)


def record_as(kind: type, value: Any, changed: Mapping[str, Any]) -> Any:
    """The same as an object of another class, which takes the same attributes.

    Raises:
        NotBuildableError: as above.
    """
    if kind is re.Match:
        return match_with(value, changed)
    try:
        return _constructed(kind, value, changed)
    except NotBuildableError:
        if kind is not type(value) or not changed:
            raise
        if _takes_any_number(kind) and is_made_whole(value):
            with contextlib.suppress(NotBuildableError):
                return _constructed(kind, value, changed, is_open=True)
        return _with_client_attributes(value, changed)


def _takes_any_number(kind: type) -> bool:
    try:
        constructor_parameters(kind)
    except NotBuildableError:
        return True
    return False


def _with_client_attributes(value: Any, changed: Mapping[str, Any]) -> Any:
    """A copy of an object with other values of attributes that its class leaves to those who use it.

    Such an attribute has another value than its constructor gave it, so somebody has set it. The object holds data
    alone: others that it holds often know of it, and have to fit, and a function that it holds may change it.
    """
    kind: Any = type(value)
    held, own = attributes(value), changed_by_methods(kind)
    plain = (kind.__setattr__, kind.__new__) == (object.__setattr__, object.__new__)
    plain = plain and all(map(_is_data, held.values()))
    if own is None or not plain or any(name in own or name.startswith("_") for name in changed):
        raise NotBuildableError(kind.__name__)
    first = attributes(_constructed(kind, value, {}))
    for name, new in changed.items():
        if name not in held or type(new) is not type(held[name]):
            raise NotBuildableError(kind.__name__)
        if name not in first or dump_item(first[name]) == dump_item(held[name]):
            raise NotBuildableError(kind.__name__)
    made = object.__new__(kind)
    for name, each in {**held, **changed}.items():
        object.__setattr__(made, name, each)
    return made


def _is_data(value: Any) -> bool:
    """Whether a value holds no function and no object of a user's class."""
    if type(value) in MAPPINGS:
        return all(map(_is_data, islice(value.values(), MAX_PER_HOLDER)))
    if type(value) in (*SEQUENCES, *SETS):
        return all(map(_is_data, islice(value, MAX_PER_HOLDER)))
    return not callable(value) and not fields(value) and not of_user_class(value)


def _constructed(kind: type, value: Any, changed: Mapping[str, Any], *, is_open: bool = False) -> Any:
    """With `is_open`, by a constructor that takes any number of arguments, too: no others than are held by name."""
    held = {**attributes(value), **fields(value)}
    needed = constructor_parameters(kind, is_open=is_open)
    kept = {**attributes_by_parameter(held, needed), **{name: name for name in changed if name in needed}}
    taken = set(kept.values())
    if not set(changed) <= taken or any(is_needed and name not in kept for name, is_needed in needed.items()):
        raise NotBuildableError(kind.__name__)
    if any(name not in needed and type(new) is not type(held[name]) for name, new in changed.items()):
        raise NotBuildableError(kind.__name__)  # what is private has no type that anybody may rely on but the real one
    wanted = {**held, **changed}
    given = {parameter: wanted[name] for parameter, name in kept.items()}
    try:
        by_position = take_positional(kind, given)
        made = kind(*by_position, **given) if not takes_args_alone(kind) else kind(*changed.get("args", value.args))
    except Exception as error:  # whatever the constructor says, there is no such object
        raise NotBuildableError(kind.__name__) from error
    if type(made) is not kind:
        raise NotBuildableError(kind.__name__)
    return made


def attributes_by_parameter(held: Iterable[str], needed: Iterable[str]) -> Dict[str, str]:
    """The attribute that keeps each parameter of a constructor, as far as one has its name: `width` or `_width`."""
    names = set(held)
    kept = {each: next((name for name in (each, "_" + each) if name in names), "") for each in needed}
    return {parameter: name for parameter, name in kept.items() if name}


def taken_attributes(value: Any) -> List[str]:
    """The attributes of an object that its constructor takes; what else it holds follows from them, or comes later.

    Empty where the constructor cannot be called with them.
    """
    held = {**attributes(value), **fields(value)}
    try:
        needed = constructor_parameters(type(value), is_open=True)
    except NotBuildableError:
        return []
    kept = attributes_by_parameter(held, needed)
    return list(kept.values()) if all(name in kept for name, is_needed in needed.items() if is_needed) else []


def is_made_whole(value: Any) -> bool:
    """Whether its constructor makes an object again, with all that it holds, of the attributes that it takes.

    What methods have filled would be empty, and what `**options` said at their default.
    """
    held = attributes(value)
    try:
        made = _constructed(type(value), value, {}, is_open=True)
        again = attributes(made)
        if isinstance(value, BaseException) and dump_item(made.args) != dump_item(value.args):
            return False
        return again.keys() == held.keys() and all(
            dump_item(again[name]) == dump_item(each) for name, each in held.items()
        )
    except (NotBuildableError, NotCopyable, RecursionError, MemoryError):
        return False


def constructor_parameters(kind: type, *, is_open: bool = False) -> Dict[str, bool]:
    """The parameters of a class's constructor, by name, and whether each is needed.

    Raises:
        NotBuildableError: it takes others than by name; with `is_open`, `*parts` is one of them, and `**options` are
            left out.
    """
    if takes_args_alone(kind):
        return {"args": False}
    try:
        parameters = list(inspect.signature(kind).parameters.values())
    except (TypeError, ValueError) as error:
        raise NotBuildableError(kind.__name__) from error
    refused = [each for each in parameters if each.kind in (_OPEN if not is_open else ()) + _NAMELESS]
    if refused:
        raise NotBuildableError(kind.__name__)
    named = [each for each in parameters if each.kind is not each.VAR_KEYWORD]
    return {each.name: each.default is each.empty and each.kind not in _OPEN for each in named}


@functools.lru_cache(maxsize=1024)
def slots(kind: type) -> Dict[str, Any]:
    """The members that `__slots__` makes in the user's classes, by name, those of base classes first.

    The standard library's (`Fraction`, `Path`) are values with ways of their own.
    """
    if kind.__module__.partition(".")[0] in _STANDARD:
        return {}
    classes = kind.__mro__[::-1]
    return {name: each for base in classes for name, each in vars(base).items() if _is_slot(base, each)}


def _is_slot(base: type, member: Any) -> bool:
    return type(member) is MemberDescriptorType and bool(base.__flags__ & HEAP_TYPE)


def _shown(length: int) -> List[int]:
    return [*range(min(length, MAX_PER_HOLDER - 1)), *range(max(length - 1, MAX_PER_HOLDER - 1), length)]


def _rebuilt(value: Any, known: Dict[int, Any], inside: Set[int]) -> Any:
    """The value with replacements made in it; itself where there are none. A circle stays as it is."""
    if id(value) in known:
        return known[id(value)]
    if type(value) in ATOMS or id(value) in inside:
        return value
    kind = container_kind(value)
    inside.add(id(value))
    new = value
    if kind in SEQUENCES or is_named_tuple(kind):
        held_items = list(plain_of(value))
        items = [_rebuilt(item, known, inside) for item in held_items]
        if any(item is not old for item, old in zip(items, held_items)):  # noqa: B905 - Python 3.9 has no strict
            new = like(value, items)
    elif kind in MAPPINGS:
        new = _rebuilt_mapping(value, known, inside)
    else:
        held = fields(value)
        changed = {name: _rebuilt(item, known, inside) for name, item in held.items()}
        changed = {name: item for name, item in changed.items() if item is not held[name]}
        if changed:
            new = record_with(value, changed)
    inside.discard(id(value))
    if new is not value:
        known[id(value)] = new
    return new


def _rebuilt_mapping(value: Any, known: Dict[int, Any], inside: Set[int]) -> Any:
    changed = {}
    for key, item in dict.items(value) if of_user_class(value) else value.items():
        new = _rebuilt(item, known, inside)
        if new is not item:
            changed[key] = new
    if not changed:
        return value
    copied = plain_of(value).copy()
    for key, item in changed.items():
        copied[key] = item
    return alike(value, copied)
