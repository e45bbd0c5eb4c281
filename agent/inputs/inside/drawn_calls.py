"""Draws calls with Hypothesis, from the values that real calls hold in the same places."""

from __future__ import annotations

import contextlib
from itertools import islice
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Set, Tuple

from .call_parts import Place, Root, Site, like, places, with_value
from .container_kinds import SEQUENCES, NotBuildableError, alike, is_named_tuple, of_user_class, plain_of, separate
from .edge_values import edges
from .few_values import are_records, draw_records
from .similar_values import MAX_SIZE, POOL, Likeness

if TYPE_CHECKING:
    from .related_values import Constants

MAX_CHANGES = 3

Drawn = Tuple[str, Root, int]  # kind, arguments, number of the base that it started from


class Allowed(NamedTuple):
    """What may stand in which places: None, no other length, and values that type hints allow."""

    may_be_none: Set[Site]
    fixed: Set[Site]
    hinted: Mapping[Site, Sequence[Any]]


class Drawer:
    """Knows the values of each place. `bases` are changed; the values of `calls` are what they are changed to.

    `constants` are what the code mentions.
    """

    def __init__(self, bases: Sequence[Root], calls: Sequence[Root], allowed: Allowed, constants: Constants) -> None:
        self._bases, self._may_be_none, self._fixed, self._hinted = bases, *allowed
        self._pools: Dict[Site, List[Any]] = {}
        self._strategies: Dict[Site, Any] = {}
        self._likeness = Likeness(constants)
        self._st = self._likeness.st
        for root in (*calls, *bases):
            for place in places(root):
                pool = self._pools.setdefault(place.site, [])
                if len(pool) < POOL:
                    pool.append(place.value)
        self._data = [[place for place in places(root) if place.is_data] for root in bases]
        self._of_records = [[place for place in known if self._has_records(place)] for known in self._data]

    def draw(self, number: int, count: int) -> List[Drawn]:
        """Up to `count` calls; the same for the same number."""
        from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: PLC0415 - only now may it be there

        drawn: List[Drawn] = []

        @seed(number)
        @settings(
            database=None,
            deadline=None,
            max_examples=count,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(self._calls())
        def collect(value: Drawn) -> None:
            drawn.append(value)

        collect()
        return drawn

    def _calls(self) -> Any:
        st = self._st
        usable = [number for number, known in enumerate(self._data) if known]

        def calls(draw: Callable[[Any], Any]) -> Drawn:
            number = draw(st.sampled_from(usable))
            ways = (self._remade, self._exchanged, self._changed, self._reordered)
            way = draw(st.sampled_from((*ways, self._of_few) if self._of_records[number] else ways))
            try:
                kind, root = way(draw, number)
                return kind, [_unshared(part) for part in root], number
            except (AttributeError, LookupError, RecursionError, TypeError, ValueError):  # such a value cannot be made
                return "part of a real call", self._bases[number], number

        return st.composite(calls)() if usable else st.nothing()

    def _remade(self, draw: Callable[[Any], Any], number: int) -> Tuple[str, Root]:
        """Every argument made anew."""
        root = self._bases[number]
        for place in [place for place in self._data[number] if len(place.site) == 1]:
            if not _is_fixed(place.value):
                root = _with(root, place, draw(self._strategy(place.site)))
        return "made anew", root

    def _exchanged(self, draw: Callable[[Any], Any], number: int) -> Tuple[str, Root]:
        """Parts of other calls in the place of its own."""
        root = self._bases[number]
        for _ in range(draw(self._st.integers(1, MAX_CHANGES))):
            place = draw(self._st.sampled_from(_current(root, self._data[number])))
            root = with_value(root, place, draw(self._st.sampled_from(self._pools[place.site])))
        return "parts of several calls", root

    def _changed(self, draw: Callable[[Any], Any], number: int) -> Tuple[str, Root]:
        """A few parts changed to what the place may hold, or to an edge case."""
        root = self._bases[number]
        for _ in range(draw(self._st.integers(1, MAX_CHANGES))):
            place = draw(self._st.sampled_from(_current(root, self._data[number])))
            near = [] if place.site in self._fixed else [value for _, value in edges(place.value)]
            if near and draw(self._st.booleans()):
                root = with_value(root, place, draw(self._st.sampled_from(near)))
            elif not _is_fixed(place.value):
                root = with_value(root, place, draw(self._strategy(place.site)))
        return "several parts changed", root

    def _reordered(self, draw: Callable[[Any], Any], number: int) -> Tuple[str, Root]:
        """Elements of one sequence in another order, some of them more than once or not at all."""
        ordered = [
            place
            for place in self._data[number]
            if type(place.value) in (list, tuple, str) and place.value and place.site not in self._fixed
        ]
        if not ordered:
            return self._changed(draw, number)
        place = draw(self._st.sampled_from(ordered))
        chosen = draw(self._st.lists(self._st.sampled_from(list(place.value)), max_size=2 * MAX_SIZE))
        return "elements chosen and ordered anew", with_value(self._bases[number], place, like(place.value, chosen))

    def _of_few(self, draw: Callable[[Any], Any], number: int) -> Tuple[str, Root]:
        """A few records that share values in the place of a sequence of records."""
        place = draw(self._st.sampled_from(self._of_records[number]))
        records = draw_records(draw, self._st, _first(place.value))
        return "records of few values", with_value(self._bases[number], place, like(place.value, records))

    def _has_records(self, place: Place) -> bool:
        is_sequence = type(place.value) in SEQUENCES and place.site not in self._fixed
        return is_sequence and are_records(_first(place.value))

    def _strategy(self, site: Site) -> Any:
        if site not in self._strategies:
            ways = [self._likeness.of_values(self._pools[site], len(site) - 1)]
            if site in self._hinted:
                ways.append(self._st.sampled_from(self._hinted[site]))
            if site in self._may_be_none:
                ways.append(self._st.none())
            self._strategies[site] = self._st.one_of(ways)
        return self._strategies[site]


def _first(items: Sequence[Any]) -> List[Any]:
    return list(islice(items, POOL))


def _current(root: Root, known: Sequence[Place]) -> List[Place]:
    """The places of a call that may have been changed already."""
    sites = {place.site for place in known}
    return [place for place in places(root) if place.is_data and place.site in sites] or list(known)


def _with(root: Root, place: Place, value: Any) -> Root:
    """The call with another argument; its place is looked up anew, for earlier changes made other holders."""
    args, kwargs = root
    if isinstance(place.key, int):
        return [[*args[: place.key], value, *args[place.key + 1 :]], kwargs]
    return [args, {**kwargs, place.key: value}]


def _is_fixed(value: Any) -> bool:
    """What nothing is made like: classes, functions, objects that have not only data."""
    return isinstance(value, type) or callable(value)


def _unshared(value: Any) -> Any:
    """The value with containers of its own in every place: a pool gives the same one twice."""
    kind = type(value)
    if of_user_class(value) or is_named_tuple(kind):
        return _unshared_of_class(value)
    if kind in SEQUENCES:
        return like(value, [_unshared(item) for item in separate(value)])
    if kind is dict:
        return {key: _unshared(item) for key, item in value.items()}
    return kind(value) if kind in (set, bytearray) else value


def _unshared_of_class(value: Any) -> Any:
    """The same for a container of a class, which may make no other: then it stays as it is."""
    with contextlib.suppress(NotBuildableError):
        if is_named_tuple(type(value)):
            return like(value, [_unshared(item) for item in value])
        return alike(value, _unshared(plain_of(value)))
    return value
