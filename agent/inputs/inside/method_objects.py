"""Objects that their class's own methods made: what real ones look like, with other content.

Many objects cannot be made from their attributes: the constructor takes none, and methods fill them. Here a blank one
is filled by calls of public methods, with arguments like what a real object holds. Kept is only what has the form of a
real one, so that a name does not come to stand where numbers belong.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import random
from types import FunctionType
from typing import Any, Dict, FrozenSet, Iterator, List, NamedTuple, Sequence, Set, Tuple

from ....sandbox.driver.call_blobs import copied, dump_item
from .alarm import interrupted_after
from .call_parts import Place, fields, places, record_with, root_of
from .container_kinds import CONTAINERS, HEAP_TYPE, MAPPINGS, NotBuildableError, container_kind, plain_of
from .edge_values import edges, in_turns
from .harness_types import Interrupted
from .related_values import LONG_CHAIN

FILLED = "object that its methods filled"
SIZES = (0, 1, 2, 3, 5, 8, 13, 4, 6, 20)  # calls of methods for one object
OBJECTS = 60  # of one class
LINKS = 1_020  # more than Python's recursion limit
MOST_METHODS = 6
MOST_PARAMETERS = 4
MOST_SUBCLASSES = 3
MOST_TRIED = 160  # ways to call the methods of one class, to learn which fill an object
POOL, FEW = 12, 4  # values of one type
FIRST = 2  # values with which a way is tried
CALL_S = 0.1  # that one call of a method may take
_SMALL = {int: (0, 1, 2, 3, 4, 5), float: (0.0, 1.0, 2.5), str: ("a", "b", "A", "ab"), bool: (True, False)}
_LINKING = (int, str)

Form = FrozenSet[Tuple[str, type]]
Made = Tuple[str, Any]  # kind, object


class Filling(NamedTuple):
    """A way to fill an object: the method's name, and the types of the arguments that it takes."""

    method: str
    kinds: Tuple[type, ...]


def objects_by_methods(value: Any, without: str) -> Iterator[Made]:
    """Objects of the class of a real one, filled by its public methods; none if nothing can be filled.

    Args:
        value: the real object; it stays as it is.
        without: the method that is to be rewritten. It is not called: it is slow, and what is looked into.
    """
    if not fields(value) or not type(value).__flags__ & HEAP_TYPE:
        return
    form, pools = form_of(value), _pools(value)
    kinds: List[type] = [type(value), *type.__subclasses__(type(value))[:MOST_SUBCLASSES]]
    made: List[Iterator[Made]] = []
    for kind in kinds:
        try:
            blank = copied(_blank(kind, value))
        except Exception:  # noqa: BLE001, S112 - its constructor may raise anything, or make what cannot be copied
            continue
        fillings = _fillings(value, blank, form, pools, without)
        if fillings and kind is type(value):
            made += [_filled(blank, fillings, pools, FILLED), _linked(blank, fillings, pools)]
        elif fillings:
            made.append(_filled(blank, fillings, pools, "object of a subclass that its methods filled"))
    for way, each in in_turns(made):
        if form_of(each) <= form:
            yield way, each


def form_of(value: Any) -> Form:
    """Which types stand where in an object, keys included."""
    found: Set[Tuple[str, type]] = set()
    for place in _parts(value):
        name = "/".join(place.site)
        found.add((name, type(place.value)))
        if container_kind(place.value) in MAPPINGS:
            found.update((name + "/key", type(key)) for key in itertools.islice(plain_of(place.value), POOL))
    return frozenset(found)


def _parts(value: Any) -> Iterator[Place]:
    """The places in an object, without its own."""
    return (place for place in places(root_of([value], {})) if len(place.site) > 1)


def _blank(kind: type, value: Any) -> Any:
    """An object as its constructor leaves it: without arguments, or from the attributes of the real one."""
    try:
        required = [
            each
            for each in inspect.signature(kind).parameters.values()
            if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        ]
    except (TypeError, ValueError) as error:
        raise NotBuildableError(kind.__name__) from error
    if required and kind is not type(value):
        raise NotBuildableError(kind.__name__)
    return record_with(value, {}) if required else kind()


def _pools(value: Any) -> Dict[type, List[Any]]:
    """What may be given to methods, by type: small values, then what the object holds, then edge cases of that."""
    pools: Dict[type, List[Any]] = {kind: list(small) for kind, small in _SMALL.items()}
    pools[type(None)] = [None]
    for place in _parts(value):
        keys = itertools.islice(plain_of(place.value), POOL) if container_kind(place.value) in MAPPINGS else ()
        for each in (place.value, *keys):
            if container_kind(each) in CONTAINERS and len(plain_of(each)) > POOL:
                continue  # one method call with a large argument takes as long as a hundred with small ones
            pool = pools.setdefault(type(each), [])
            if len(pool) < 2 * POOL and not any(each is known for known in pool):
                pool.append(each)
    for kind in (int, float, str):
        pools[kind] += [changed for _, changed in edges(pools[kind][-1]) if type(changed) is kind]
    return pools


def _fillings(value: Any, blank: Any, form: Form, pools: Dict[type, List[Any]], without: str) -> List[Filling]:
    """The calls of public methods that change a blank object into one that still has the form of a real one."""
    kinds = _kinds_of_parts(value, pools)
    ways = [
        Filling(name, chosen)
        for name, least, most in _methods(type(value), without)
        for number in range(most, least - 1, -1)
        for chosen in itertools.product(kinds, repeat=number)
    ]
    random.Random(len(ways)).shuffle(ways)  # noqa: S311 - any order that is the same each time
    return [each for each in ways[:MOST_TRIED] if _fills(blank, each, form, pools)]


def _kinds_of_parts(value: Any, pools: Dict[type, List[Any]]) -> List[type]:
    """The types that stand in the object, the most frequent first; no more than can be tried."""
    counts: Dict[type, int] = {}
    for place in _parts(value):
        counts[type(place.value)] = counts.get(type(place.value), 0) + 1
        for key in itertools.islice(plain_of(place.value), POOL) if container_kind(place.value) in MAPPINGS else ():
            counts[type(key)] = counts.get(type(key), 0) + 1
    known = [
        kind for kind in sorted(counts, key=lambda kind: -counts[kind]) if pools.get(kind) and kind is not type(value)
    ]
    return known[:5]


def _methods(kind: type, without: str) -> Iterator[Tuple[str, int, int]]:
    """(name, fewest arguments, most arguments) of the public methods that may fill an object."""
    seen: Set[str] = {without}
    told = 0
    for base in kind.__mro__:
        for name, held in vars(base).items():
            if name in seen or name.startswith("_") or type(held) is not FunctionType or told >= MOST_METHODS:
                continue
            seen.add(name)
            parameters = list(inspect.signature(held).parameters.values())[1:]
            plain = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
            least = sum(each.default is each.empty for each in plain)
            if len(plain) == len(parameters) and plain and least <= MOST_PARAMETERS:
                told += 1
                yield name, least, min(len(plain), MOST_PARAMETERS)


def _fills(blank: Any, filling: Filling, form: Form, pools: Dict[type, List[Any]]) -> bool:
    """Whether the call changes the object with one of the first values: 0 rounds, say, change nothing."""
    values = ([pools[kind][at % len(pools[kind])] for kind in filling.kinds] for at in range(FIRST))
    return any(_fills_with(blank, filling.method, copied(arguments), form) for arguments in values)


def _fills_with(blank: Any, method: str, arguments: List[Any], form: Form) -> bool:
    try:
        made = copied(blank)
        before = dump_item(made)
        _call_method(made, method, arguments)
        return dump_item(made) != before and form_of(made) <= form
    except Exception:  # noqa: BLE001 - code of the user's, which may raise anything
        return False


def _filled(blank: Any, fillings: Sequence[Filling], pools: Dict[type, List[Any]], way: str) -> Iterator[Made]:
    for number in range(OBJECTS):
        chance = random.Random(number)  # noqa: S311 - the same objects each time
        made = copied(blank)
        # First small values and what a real object holds, then edge cases of these, too.
        pool = 2 * POOL if number < len(SIZES) else None
        for _ in range(SIZES[number % len(SIZES)]):
            filling = chance.choice(fillings)
            # Half of the values are of a few, so that what one call names comes up in others.
            arguments = [copied(chance.choice(pools[kind][: chance.choice((FEW, pool))])) for kind in filling.kinds]
            try:
                _call_method(made, filling.method, arguments)
            except _UnendingCallError:
                break  # the object is left in the middle of it
            except Exception:  # noqa: BLE001, S112 - the class forbids it, which is its right
                continue
        else:
            yield way, made


def _linked(blank: Any, fillings: Sequence[Filling], pools: Dict[type, List[Any]]) -> Iterator[Made]:
    """Objects in which each call names what the one before it named: one long chain, either end first.

    What links to others comes first: a rewrite that recurses and keeps what it finds goes deep there alone, and there
    may be no time for a second chain.
    """
    for filling in fillings:
        for one, other in itertools.permutations(range(len(filling.kinds)), 2):
            kind = filling.kinds[one]
            if kind is not filling.kinds[other] or kind not in _LINKING:
                continue
            names = [number if kind is int else "n%d" % number for number in range(LINKS)]
            calls: List[Tuple[Filling, Dict[int, Any]]] = [
                (filling, {one: names[at], other: names[at - 1]}) for at in range(1, LINKS)
            ]
            end = Filling(filling.method, (*filling.kinds[:other], type(None), *filling.kinds[other + 1 :]))
            if end in fillings:
                calls.insert(0, (end, {one: names[0], other: None}))
            for ordered in (calls[::-1], calls):
                made = copied(blank)
                with contextlib.suppress(Exception):  # as above
                    _call_all(made, ordered, pools)
                    yield LONG_CHAIN, made


def _call_all(made: Any, calls: Sequence[Tuple[Filling, Dict[int, Any]]], pools: Dict[type, List[Any]]) -> None:
    for filling, given in calls:
        others = {at: copied(pools[kind][0]) for at, kind in enumerate(filling.kinds) if at not in given}
        arguments = {**others, **given}
        _call_method(made, filling.method, [arguments[at] for at in range(len(filling.kinds))])


class _UnendingCallError(Exception):
    """A method that left the process, or that went on and on: an edge case may be a number of rounds."""


def _call_method(made: Any, method: str, arguments: Sequence[Any]) -> None:
    """Call it for a short time. It may raise anything."""
    try:
        with interrupted_after(CALL_S):
            getattr(made, method)(*arguments)
    except (Interrupted, SystemExit) as error:
        raise _UnendingCallError from error
