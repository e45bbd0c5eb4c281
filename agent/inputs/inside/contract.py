"""What a function takes, as its type hints say it or as its real calls show it: values of other kinds are no input.

Exact types count: True is no int here, for a function of angles that gets it need not do anything in particular.
"""

from __future__ import annotations

import collections
import collections.abc
import contextlib
import inspect
import typing
from itertools import islice
from typing import Any, Callable, Dict, Iterator, Optional, Sequence, Set, Tuple

from .call_parts import Root, Site, children, fixed_sites
from .type_hints import UNIONS, bare_hint, hint_namespace

MOST_ITEMS = 200  # of one container that are looked at
MOST_DEPTH = 8
MOST_KINDS = 2_000  # in one argument

Kind = Tuple[Site, Any]  # the way to a value, and its type, its length, or its keys

_SEQUENCES: Dict[Any, Tuple[type, ...]] = {
    collections.abc.Iterable: (list, tuple, set, frozenset, collections.deque),
    collections.abc.Collection: (list, tuple, set, frozenset, collections.deque),
    collections.abc.Sequence: (list, tuple, collections.deque),
    collections.abc.MutableSequence: (list, collections.deque),
    collections.abc.Set: (set, frozenset),
    collections.abc.MutableSet: (set,),
    list: (list,),
    set: (set,),
    frozenset: (frozenset,),
    collections.deque: (collections.deque,),
}
_MAPPINGS = (collections.abc.Mapping, collections.abc.MutableMapping, dict)
_PLAIN_TYPES = (int, float, str, bytes, bool, None, type(None))
_UNSAID = (Any, object, inspect.Parameter.empty)


class Contract:
    """Tells whether a call keeps to the hints of a function, and where they say nothing, to the kinds of real calls.

    Without `by_hints` it tells whether all of it keeps to the kinds of real calls.
    """

    def __init__(
        self, function: Callable[..., Any], source: str, real: Sequence[Root], *, by_hints: bool = True
    ) -> None:
        self._by_hints = by_hints
        self._namespace = hint_namespace(function, source)
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError):
            self._signature = inspect.Signature()
        arguments = [known for known in map(self._arguments, real) if known is not None]
        self._fixed = fixed_sites([[], known] for known in arguments)
        self._seen: Set[Kind] = {
            kind for known in arguments for name, value in known.items() for kind in self._kinds_of(name, value)
        }

    def admits(self, root: Root) -> bool:
        """Whether every argument is of a kind that the function takes."""
        known = self._arguments(root)
        if known is None:
            return False
        return all(
            (self._by_hints and self._is_as_said(name, value)) or self._seen.issuperset(self._kinds_of(name, value))
            for name, value in known.items()
        )

    def contradicts(self, root: Root) -> bool:
        """Whether the function takes no such call, or a hint that names plain types alone says otherwise."""
        known = self._arguments(root)
        return known is None or any(
            self._is_plain(name) and not self._is_as_said(name, value) for name, value in known.items()
        )

    def _arguments(self, root: Root) -> Optional[Dict[str, Any]]:
        """The arguments that are given, by their parameters; None if the function takes no such call."""
        try:
            return dict(self._signature.bind(*root[0], **root[1]).arguments)
        except TypeError:
            return None

    def _kinds_of(self, name: str, value: Any) -> Iterator[Kind]:
        return islice(self._kinds(value, (name,), (name,)), MOST_KINDS)

    def _kinds(self, value: Any, site: Site, general: Site, depth: int = 0) -> Iterator[Kind]:
        """The types in a value, each with the way to it, and the form of records.

        `site` names every key of a table, `general` only those of records: tables that always have the same keys.
        """
        yield general, type(value)
        if depth > MOST_DEPTH:
            return
        if site in self._fixed and isinstance(value, (list, tuple, dict)):
            yield general, tuple(value) if isinstance(value, dict) else len(value)
        if type(value) in (set, frozenset):
            yield from (((*general, "*"), type(item)) for item in islice(value, MOST_ITEMS))
        is_table = isinstance(value, dict) and site not in self._fixed
        for _, label, part in children(value):
            yield from self._kinds(part, (*site, label), (*general, "*" if is_table else label), depth + 1)

    def _is_as_said(self, name: str, value: Any) -> bool:
        """Whether the hint of a parameter says that it takes this value; a hint that cannot be read says nothing."""
        parameter = self._signature.parameters[name]
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            return False
        with contextlib.suppress(Exception):  # evaluating a hint runs any expression
            return self._fits(value, parameter.annotation)
        return False

    def _is_plain(self, name: str) -> bool:
        """Whether the hint of a parameter names nothing but plain types and containers of these."""
        parameter = self._signature.parameters[name]
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            return False
        with contextlib.suppress(Exception):  # as above
            return self._names_plain(parameter.annotation)
        return False

    def _names_plain(self, hint: Any) -> bool:
        hint = bare_hint(hint, self._namespace)
        parts = typing.get_args(hint)
        if not parts:
            return hint in _PLAIN_TYPES
        origin = typing.get_origin(hint)
        if origin is typing.Literal:
            return True
        known = origin in UNIONS or origin in _SEQUENCES or origin in _MAPPINGS or origin is tuple
        return known and all(part is Ellipsis or self._names_plain(part) for part in parts)

    def _fits(self, value: Any, hint: Any) -> bool:
        hint = bare_hint(hint, self._namespace)
        parts = typing.get_args(hint)
        if parts:
            return self._fits_parts(value, typing.get_origin(hint), parts)
        if hint in _UNSAID or hint in _SEQUENCES or hint in _MAPPINGS or hint is tuple:
            return False
        if hint is None:
            return value is None
        return type(value) in (float, int) if hint is float else type(value) is hint

    def _fits_parts(self, value: Any, origin: Any, parts: Tuple[Any, ...]) -> bool:
        """The same for a hint with something in brackets."""
        if origin in UNIONS:
            return any(self._fits(value, part) for part in parts)
        if origin is typing.Literal:
            return any(type(value) is type(part) and value == part for part in parts)
        if origin in _MAPPINGS:
            return (
                isinstance(value, dict) and self._all_fit(value, parts[0]) and self._all_fit(value.values(), parts[1])
            )
        if origin is tuple and type(value) is tuple:
            return self._fits_tuple(value, parts)
        return type(value) in _SEQUENCES.get(origin, ()) and self._all_fit(value, parts[0])

    def _fits_tuple(self, value: Tuple[Any, ...], parts: Tuple[Any, ...]) -> bool:
        if parts[-1] is Ellipsis:
            return self._all_fit(value, parts[0])
        return len(value) == len(parts) and all(self._fits(value[at], part) for at, part in enumerate(parts))

    def _all_fit(self, items: Any, hint: Any) -> bool:
        return all(self._fits(item, hint) for item in islice(items, MOST_ITEMS))
