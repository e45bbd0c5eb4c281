"""What type hints say of a value and of what is in it, as far as they say anything."""

from __future__ import annotations

import collections
import collections.abc
import contextlib
import inspect
import typing
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .container_kinds import HEAP_TYPE
from .type_hints import UNIONS, bare_hint

if typing.TYPE_CHECKING:
    from .value_kinds import Step

SEQUENCE_HINTS: Dict[Any, Tuple[type, ...]] = {
    collections.abc.Iterable: (list, tuple, set, frozenset, collections.deque),
    collections.abc.Collection: (list, tuple, set, frozenset, collections.deque),
    collections.abc.Sequence: (list, tuple, collections.deque),
    collections.abc.MutableSequence: (list, collections.deque),
    collections.abc.Set: (set, frozenset),
    collections.abc.MutableSet: (set,),
    list: (list,),
    tuple: (tuple,),
    set: (set,),
    frozenset: (frozenset,),
    collections.deque: (collections.deque,),
}
MAPPING_HINTS = (collections.abc.Mapping, collections.abc.MutableMapping, dict)
ITERATOR_HINTS = (collections.abc.Iterable, collections.abc.Iterator, collections.abc.Generator)
UNSAID = (Any, object, inspect.Parameter.empty)
_TOWER: Dict[Any, Tuple[type, ...]] = {float: (int,), complex: (int, float)}  # PEP 484, "The numeric tower"
_PLAIN_TYPES = (int, float, str, bytes, bool, None, type(None))


class Hints:
    """Reads hints; `namespace` is what they may name."""

    def __init__(self, namespace: Dict[str, Any]) -> None:
        self.namespace = namespace
        self._of_classes: Dict[type, Dict[str, Any]] = {}

    def bare(self, hint: Any) -> Any:
        """The hint behind names and aliases; `Any` where it cannot be read, or is no hint at all."""
        with contextlib.suppress(Exception):  # evaluating it runs any expression
            bare = bare_hint(hint, self.namespace, unbound=Any)
            hash(bare)
            return bare
        return Any

    def choices(self, hint: Any) -> List[Any]:
        """The hints of which a value has to fit one."""
        hint = self.bare(hint)
        if typing.get_origin(hint) not in UNIONS:
            return [hint]
        return [choice for part in typing.get_args(hint) for choice in self.choices(part)]

    def fits(self, value: Any, hint: Any) -> Optional[bool]:
        """Whether a bare hint, no union, takes a value of this type; what is in it is another matter.

        None: the hint does not say.
        """
        origin, parts = typing.get_origin(hint) or hint, typing.get_args(hint)
        return next(fits for concerns, fits in _TESTS if concerns(origin))(value, origin, parts)

    def inside(self, holder: Any, hint: Any, step: Step) -> Any:
        """The hint of what a value that fits a bare hint holds; `Any` where that is not said."""
        origin, parts = typing.get_origin(hint) or hint, typing.get_args(hint)
        way, which = step
        if way == "attribute":
            return self._of_class(type(holder)).get(which, Any)
        if origin in MAPPING_HINTS and len(parts) == 2:
            return parts[0] if way == "key" else parts[1]
        if origin is tuple and parts and parts[-1] is not Ellipsis:
            return parts[which] if way == "index" and which < len(parts) else typing.Union[parts]
        return parts[0] if parts and (origin in SEQUENCE_HINTS or origin in ITERATOR_HINTS) else Any

    def says_form(self, hint: Any) -> bool:
        """Whether the hint says what all of a container holds, and so of which lengths and with which keys it comes."""
        parts = typing.get_args(hint)
        return bool(parts) and not any(self.bare(part) in UNSAID for part in parts if part is not Ellipsis)

    def names_plain(self, hint: Any) -> bool:
        """Whether a hint names nothing but plain types and containers of these."""
        hint = self.bare(hint)
        parts = typing.get_args(hint)
        if not parts:
            return hint in _PLAIN_TYPES
        origin = typing.get_origin(hint)
        if origin is typing.Literal:
            return True
        known = origin in UNIONS or origin in SEQUENCE_HINTS or origin in MAPPING_HINTS
        return known and all(part is Ellipsis or self.names_plain(part) for part in parts)

    def plain_types(self, choices: Sequence[Any]) -> List[type]:
        """The types that hints name, as far as these are types; with `float`, integers go, too."""
        named = [choice for choice in choices if isinstance(choice, type) and choice not in UNSAID]
        named += [type(None)] if None in choices else []
        return [*named, int] if float in named else named

    def _of_class(self, kind: type) -> Dict[str, Any]:
        """The hints of a class's attributes, and of its constructor's parameters of the same names."""
        if kind not in self._of_classes:
            found: Dict[str, Any] = {}
            for source in (getattr(kind, "__init__", None), kind):
                with contextlib.suppress(Exception):  # as in `bare`
                    found.update(typing.get_type_hints(source, localns=self.namespace))
            self._of_classes[kind] = found
        return self._of_classes[kind]


def takes(hint: Any, value: Any) -> bool:
    """Whether a bare hint takes a value by the rules of types, though perhaps it names another type."""
    origin: Any = typing.get_origin(hint) or hint
    with contextlib.suppress(Exception):  # a metaclass may refuse the question, as that of a protocol does
        return isinstance(value, (*_TOWER.get(origin, ()), origin))
    return False


def _fits_literal(value: Any, _origin: Any, parts: Tuple[Any, ...]) -> bool:
    return any(type(value) is type(part) and value == part for part in parts)


def _fits_sequence(value: Any, origin: Any, parts: Tuple[Any, ...]) -> bool:
    """Whether it is a collection of the right type, or an iterator; a tuple has as many parts as its hint names."""
    if origin in ITERATOR_HINTS and hasattr(value, "__next__"):
        return True
    if type(value) not in SEQUENCE_HINTS.get(origin, ()):
        return False
    return origin is not tuple or not parts or parts[-1] is Ellipsis or len(value) == len(parts)


def _fits_class(value: Any, origin: Any, _parts: Tuple[Any, ...]) -> Optional[bool]:
    """Whether the class that a hint names takes a value: exactly, but for subclasses of a user's class."""
    if not isinstance(origin, type):
        return None
    if origin is float:
        return type(value) in (float, int)
    if origin.__flags__ & HEAP_TYPE:
        with contextlib.suppress(Exception):  # a metaclass may refuse the question, as that of a protocol does
            return isinstance(value, origin)
        return None
    return type(value) is origin


# Which hints a test is for, and what it says of a value: see `Hints.fits`.
_TESTS: Sequence[Tuple[Callable[[Any], bool], Callable[[Any, Any, Tuple[Any, ...]], Optional[bool]]]] = (
    (lambda origin: origin in UNSAID or isinstance(origin, (str, typing.TypeVar)), lambda *_: None),
    (lambda origin: origin in (None, type(None)), lambda value, *_: value is None),
    (lambda origin: origin is typing.Literal, _fits_literal),
    (lambda origin: origin is collections.abc.Callable, lambda value, *_: callable(value)),
    (lambda origin: origin in MAPPING_HINTS, lambda value, *_: isinstance(value, dict)),
    (lambda origin: origin in SEQUENCE_HINTS or origin in ITERATOR_HINTS, _fits_sequence),
    (lambda _origin: True, _fits_class),
)
