"""Objects that their class makes of others: what its operators and its other constructors return.

    class Interval:
        def __init__(self, *parts): ...
        def __or__(self, other): ...
        @classmethod
        def closed(cls, lower, upper): ...

No constructor takes the attributes of such an object, and no method changes one. Callers write `closed(1, 2) | other`,
and so do we, with other values in it. Kept is only what has the form of real ones: an interval of texts is none where
all are of numbers.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import random
from types import FunctionType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Sequence, Set, Tuple

from ....sandbox.driver.call_blobs import NotCopyable, copied, dump_item
from .alarm import interrupted_after
from .call_parts import Place, Root, fields, places, root_of
from .container_kinds import HEAP_TYPE, is_named_tuple
from .edge_values import edges
from .harness_types import Interrupted
from .method_objects import CALL_S, Form, Made, form_of
from .open_values import EXACT, OTHER_TYPE, UNHASHABLE
from .stopwatch import Stopwatch

RETURNED = "object that its class made of others"
MOST_REAL, MOST_LOOKED_AT = 8, 60  # objects of one class
LIGHT_BYTES = 4 * 1024  # of one of them
MOST_KNOWN = 40  # of these and of those that were made
OBJECTS, MOST_TRIED = 60, 240
MOST_S = 1.0  # for one class, mostly of CPU time
FAILURES = 12  # in a row, after which a way is given up
POOL = 24  # values of one name
_BINARY = ("__or__", "__and__", "__sub__", "__add__", "__xor__", "__mul__", "__truediv__", "__floordiv__", "__mod__")
_UNARY = ("__invert__", "__neg__", "__pos__", "__abs__")

_NUMBERS = (int, float)
_UNENDING = object()  # for what a way returns that leaves the process, or goes on and on

Way = Callable[[random.Random], Any]
Maker = Callable[[type, List[Any], str], Iterator[Made]]  # of the class, its real objects, and what is not called


class RealObjects:
    """Some objects of each class that stand in calls, at any depth, and what their class makes of them."""

    def __init__(self, roots: Iterable[Root]) -> None:
        self._by_kind: Dict[type, Dict[bytes, Any]] = {}
        self._looked_at: Dict[type, int] = {}
        self._made: Dict[Tuple[type, Maker], List[Made]] = {}
        for root in roots:
            for place in places(root):
                if type(place.value).__flags__ & HEAP_TYPE and fields(place.value):
                    self._know(place.value)

    def _know(self, value: Any) -> None:
        kind = type(value)
        known = self._by_kind.setdefault(kind, {})
        self._looked_at[kind] = self._looked_at.get(kind, 0) + 1
        if len(known) < MOST_REAL and self._looked_at[kind] <= MOST_LOOKED_AT:
            with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
                dumped = dump_item(value)
                if len(dumped) <= LIGHT_BYTES:
                    known.setdefault(dumped, value)

    def once(self, value: Any, make: Maker, without: str) -> List[Made]:
        """What `make` gives, which is asked once for each class: it runs code of the class again and again."""
        key = type(value), make
        if key not in self._made:
            self._made[key] = list(make(type(value), self.like(value), without))
        return self._made[key]

    def like(self, value: Any) -> List[Any]:
        """Those of exactly the same class; the value alone if none is known."""
        return list(self._by_kind.get(type(value), {}).values()) or [value]

    def takes_several_kinds(self, value: Any) -> bool:
        """Whether something stands in these as a text here and as a tuple there, say: nothing tells what else may."""
        kinds: Dict[str, Set[type]] = {}
        for each in self.like(value):
            for name, held in _named(each):
                if not type(held).__flags__ & HEAP_TYPE and held is not None:
                    kinds.setdefault(name, set()).add(float if type(held) in _NUMBERS else type(held))
        return any(len(found) > 1 for found in kinds.values())


def returned_objects(value: Any, real: RealObjects, without: str) -> List[Made]:
    """(kind, object) of the class of a real one; none if its class has no such operators and constructors.

    Args:
        value: the real object; it stays as it is.
        real: others that calls hold.
        without: the method that is to be rewritten. It is not called: it is slow, and what is looked into.
    """
    if not fields(value) or not type(value).__flags__ & HEAP_TYPE:
        return []
    return real.once(value, _like_real_ones, without)


def objects_of_other_kinds(value: Any, real: RealObjects, without: str) -> List[Made]:
    """The same with values of kinds that no real object holds: lists, which cannot be hashed, and equal numbers.

    Args: as above.
    """
    if not fields(value) or not type(value).__flags__ & HEAP_TYPE:
        return []
    return real.once(value, _unlike_real_ones, without)


def _like_real_ones(kind: type, known: List[Any], without: str) -> Iterator[Made]:
    form = _forms(known)
    made = _returned(kind, known, _pools(known, _widened), without)
    return ((RETURNED, each) for each in made if form_of(each) <= form)


def _unlike_real_ones(kind: type, known: List[Any], without: str) -> Iterator[Made]:
    form = _forms(known)
    for word, others, types in ((UNHASHABLE, _in_lists, (list,)), (OTHER_TYPE, _of_other_numbers, _NUMBERS)):
        for made in _returned(kind, known, _pools(known, others), without):
            if any(each in types for _, each in form_of(made) - form):
                yield word, made


def _forms(known: Iterable[Any]) -> Form:
    return frozenset().union(*map(form_of, known))


def _returned(kind: type, real: Sequence[Any], by_name: Mapping[str, List[Any]], without: str) -> Iterator[Any]:
    """Objects that the ways give, each another one; what was made takes part in the next."""
    known, watch = list(real), Stopwatch()
    ways = _ways(kind, known, by_name, without)
    failed = dict.fromkeys(ways, 0)
    seen: Set[bytes] = set()
    for tried in range(MOST_TRIED):
        usable = [way for way in ways if failed[way] < FAILURES]
        if not usable or len(seen) >= OBJECTS or watch.spent_s() > MOST_S:
            return
        way = usable[tried % len(usable)]
        with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
            failed[way] += 1
            made = _returned_by(way, random.Random(tried))  # noqa: S311 - the same objects each time
            if made is _UNENDING:
                failed[way] = FAILURES
            elif type(made) is kind and dump_item(made) not in seen:
                seen.add(dump_item(made))
                failed[way] = 0
                known += [made] if len(known) < MOST_KNOWN else []
                yield made


def _returned_by(way: Way, chance: random.Random) -> Any:
    """None where it raises."""
    try:
        with interrupted_after(CALL_S):
            return way(chance)
    except (Interrupted, SystemExit):
        return _UNENDING
    except Exception:  # noqa: BLE001 - code of the user's, which may raise anything
        return None


def _ways(kind: type, known: List[Any], by_name: Mapping[str, List[Any]], without: str) -> List[Way]:
    members: Dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        members.update(vars(base) if base.__flags__ & HEAP_TYPE else {})
    members.pop(without, None)
    makers = [
        _made_by(getattr(kind, name), names, by_name)
        for name, held in members.items()
        if isinstance(held, classmethod) and not name.startswith("_")
        for names in [_required(getattr(kind, name))]
        if names and all(by_name.get(each) for each in names)
    ]
    operators = [
        _applied(name, known, operands)
        for names, operands in ((_UNARY, 1), (_BINARY, 2))
        for name in names
        if type(members.get(name)) is FunctionType
    ]
    methods = [
        _applied(name, known, 2)
        for name, held in members.items()
        if type(held) is FunctionType and not name.startswith("_") and len(_required(held)) == 2
    ]
    return [*makers, *operators, *methods]


def _required(function: Any) -> List[str]:
    """The parameters without a default; none where it takes others by name alone, or cannot be asked."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    needed = [
        each
        for each in parameters
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    return [] if any(each.kind is each.KEYWORD_ONLY for each in needed) else [each.name for each in needed]


def _made_by(constructor: Callable[..., Any], names: List[str], by_name: Mapping[str, List[Any]]) -> Way:
    return lambda chance: constructor(*(copied(chance.choice(by_name[name])) for name in names))


def _applied(name: str, known: List[Any], operands: int) -> Way:
    def way(chance: random.Random) -> Any:
        first, *others = (copied(chance.choice(known)) for _ in range(operands))
        return getattr(first, name)(*others)

    return way


def _pools(known: List[Any], changed: Callable[[List[Any]], Iterable[Any]]) -> Dict[str, List[Any]]:
    """Values by the names of the attributes and the fields of named tuples that they stand under, with others for them.

    Where there are no others, the values themselves.
    """
    found: Dict[str, Dict[Tuple[type, bytes], Any]] = {}
    for value in known:
        for name, held in _named(value):
            with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
                found.setdefault(name, {}).setdefault((type(held), dump_item(held)), held)
    few = {name: list(values.values())[:POOL] for name, values in found.items()}
    return {name: list(changed(values)) or values for name, values in few.items()}


def _named(value: Any) -> Iterator[Tuple[str, Any]]:
    for place in places(root_of([value], {})):
        if len(place.site) > 1:
            name = _name_of(place)
            if name:
                yield name, place.value


def _name_of(place: Place) -> str:
    if is_named_tuple(type(place.holder)):
        return str(type(place.holder)._fields[place.key])
    return place.key.lstrip("_") if type(place.key) is str else ""


def _widened(values: List[Any]) -> List[Any]:
    """With edge cases, and each number as each kind of number that stands there: 1 and 1.0 are equal."""
    kinds = {type(each) for each in values if type(each) in _NUMBERS}
    twins = [each for each in _of_other_numbers(values) if type(each) in kinds]
    edge_cases = (new for each in values for _, new in edges(each)[:POOL] if type(new) is type(each))
    return [*values, *twins, *itertools.islice(edge_cases, 2 * POOL)]


def _in_lists(values: List[Any]) -> List[Any]:
    return [[each] for each in values if type(each) in (str, *_NUMBERS)]


def _of_other_numbers(values: List[Any]) -> List[Any]:
    numbers = [each for each in values if type(each) in _NUMBERS and abs(each) < EXACT and each == int(each)]
    return [float(each) if type(each) is int else int(each) for each in numbers]
