"""Small pieces of real calls, to start from: they tell as much as large calls, and hundreds fit into a second."""

from __future__ import annotations

import contextlib
import sys
from itertools import islice
from typing import Any, Container, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ....sandbox.driver.call_blobs import Call, NotCopyable, dump_call
from .array_tiles import is_array
from .call_parts import Root, fields, is_made_whole, like, record_with, taken_attributes
from .container_kinds import MAPPINGS, SEQUENCES, NotBuildableError, alike, is_named_tuple, of_user_class, plain_of
from .edge_values import in_turns
from .file_edges import is_path, with_few_lines
from .iterator_arguments import root_with_lists
from .kept_references import with_references
from .method_objects import FILLED, objects_by_methods
from .object_edges import is_frame
from .value_kinds import observe

KEPT = (12, 6, 3)  # of a long list, text or table: the first that makes a piece light
KEPT_CHARACTERS = 60
CHARACTERS_FOR_ONE = 5  # in the place of an element, where more elements are kept
LIGHT_BYTES = 4 * 1024
WHOLE_BYTES = 2 * 1024  # of a call that is taken whole, too: a piece of valid data may be none
MAX_CALL_BYTES = 64 * 1024
MAX_BASES = 8
MOST_WHOLE = 4  # small calls as they are, beside these
MOST_OBJECTS = 12  # that methods fill, for one to choose
LONGEST_ROW = 64  # a longer sequence is cut, whatever the others have in common
_DEEPEST = 4


class Base(NamedTuple):
    """A real call, or a small piece of one, to start from; `call` tells the module's state before it.

    Where the call was given an iterator, the root holds a list (`iterator_arguments`).
    """

    root: Root
    call: Call


class Fixed(NamedTuple):
    """What real calls have in common that hold records or rows.

    Attributes:
        names: keys that all dictionaries of some place have.
        rows: types and lengths of sequences, where all of some place are of one.
    """

    names: FrozenSet[str] = frozenset()
    rows: FrozenSet[Tuple[Optional[type], int]] = frozenset()


_NOTHING = Fixed()


def bases_of(calls: Sequence[Call], method: str = "") -> List[Base]:
    """A light piece of each call, then larger pieces and whole calls as far as they are small; none of them twice.

    Calls with arguments of different kinds come in turns: the smallest may all be of one kind.
    `method` is the name of the function itself, if objects may be made by the other methods of their class.
    """
    bases: List[Base] = []
    known: Set[bytes] = set()
    fixed = fixed_forms(calls)
    calls = _of_each_shape(calls)
    for base in in_turns([_of_call(call, method, fixed) for call in calls]):
        size, blob = _dumped(base.root)
        if blob not in known and (size <= MAX_CALL_BYTES or not bases):
            known.add(blob)
            bases.append(base)
        if len(bases) == MAX_BASES:
            break
    whole = (Base(root_with_lists(call), call) for call in calls)
    return list(
        in_turns([bases, islice((base for base in whole if _is_cut_though_small(base, known, fixed)), MOST_WHOLE)])
    )


def _is_cut_though_small(base: Base, known: Container[bytes], fixed: Fixed) -> bool:
    size, blob = _dumped(base.root)
    return size <= WHOLE_BYTES and blob not in known and blob != _dumped(beginning_of(base.root, KEPT[0], fixed))[1]


def fixed_forms(calls: Sequence[Call]) -> Fixed:
    """What must not be cut off, or what is there would be no input: see `contract`."""
    held: Dict[Any, List[Any]] = {}
    for call in calls:
        args, kwargs = root_with_lists(call)
        for place, value in (*enumerate(args), *kwargs.items()):
            held.setdefault(place, []).append(value)
    names: Set[str] = set()
    rows: Set[Any] = set()
    waiting = [observe(values) for values in held.values()]
    while waiting:
        seen = waiting.pop()
        names |= seen.form.keys
        rows.add((seen.form.row, seen.form.length))
        waiting += (seen.parts or {}).values()
    return Fixed(frozenset(names), frozenset(rows))


def _of_each_shape(calls: Sequence[Call]) -> List[Call]:
    by_shape: Dict[Any, List[Call]] = {}
    for call in calls:
        by_shape.setdefault(_shape_of(call), []).append(call)
    return list(in_turns(by_shape.values()))


def _shape_of(call: Call) -> Any:
    """Which arguments are given, of which kinds, and what sequences and tables among them hold first."""
    args, kwargs = root_with_lists(call)
    return tuple(map(_kinds_of, args)), tuple((name, _kinds_of(kwargs[name])) for name in sorted(kwargs))


def _kinds_of(value: Any) -> Tuple[type, ...]:
    kind = type(value)
    held = value if kind in SEQUENCES else dict.values(value) if kind in MAPPINGS else ()
    return (kind, *(type(item) for item in islice(held, 1)))


def piece_of(call: Call, fixed: Fixed = _NOTHING) -> Root:
    """The beginning of a call, to take parts from."""
    return beginning_of(root_with_lists(call), KEPT[0], fixed)


def size_of_state(call: Call) -> int:
    """The bytes that the module's state takes in each call that starts from it."""
    return len(dump_call((), {}, call.globals, call.absent))


def _of_call(call: Call, method: str, fixed: Fixed) -> Iterator[Base]:
    """Pieces from light to large, the call itself last."""
    whole = root_with_lists(call)
    pieces = [beginning_of(whole, kept, fixed) for kept in KEPT]
    light = next((piece for piece in pieces if _dumped(piece)[0] <= LIGHT_BYTES), pieces[-1])
    yield Base(_with_filled_objects(light, method), call)
    yield Base(pieces[0], call)
    yield Base(whole, call)


def size_of(root: Root) -> int:
    """The bytes of a call; what no copy can be made of counts as too large."""
    size: int = _dumped(root)[0]
    return size


def _dumped(root: Root) -> Any:
    """(bytes, the dump) of a call; what no copy can be made of counts as too large."""
    with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
        blob = dump_call(root[0], root[1], {})
        return len(blob), blob
    return sys.maxsize, b""


def _with_filled_objects(root: Root, method: str) -> Root:
    """The call with small objects, which the methods of their class filled, in place of large ones."""
    args, kwargs = root
    return [
        [_filled(value, method) for value in args],
        {name: _filled(value, method) for name, value in kwargs.items()},
    ]


def _filled(value: Any, method: str) -> Any:
    if not method or not fields(value) or _dumped([[value], {}])[0] <= LIGHT_BYTES:
        return value
    filled = (each for kind, each in objects_by_methods(value, method) if kind == FILLED)
    by_size = {_dumped([[each], {}])[0]: each for each in islice(filled, MOST_OBJECTS)}
    light = [size for size in by_size if size <= LIGHT_BYTES]
    return by_size[max(light)] if light else value


def beginning_of(root: Root, kept: int, fixed: Fixed = _NOTHING) -> Root:
    """The call with so many of the first elements of each large value; deep inside everything stays.

    What is `fixed` stays, too.
    """
    args, kwargs = root
    named = {name: _piece(value, 1, kept, fixed) for name, value in kwargs.items()}
    return with_references(root, [[_piece(value, 1, kept, fixed) for value in args], named])


def _piece(value: Any, depth: int, kept: int, fixed: Fixed) -> Any:  # noqa: PLR0911 - one way for each kind
    """The beginning of a large value; deep inside everything stays."""
    kind = type(value)
    if depth > _DEEPEST:
        return value
    if of_user_class(value):
        with contextlib.suppress(NotBuildableError):
            return alike(value, _piece(plain_of(value), depth, kept, fixed))
        return value
    if is_path(value):
        return with_few_lines(value, LIGHT_BYTES // 2)
    if kind is str or kind is bytes:
        return value[: max(KEPT_CHARACTERS, CHARACTERS_FOR_ONE * kept)]
    if kind in SEQUENCES or is_named_tuple(kind):
        is_row = (kind, len(value)) in fixed.rows and len(value) <= LONGEST_ROW
        shown = len(value) if is_named_tuple(kind) or is_row else kept
        with contextlib.suppress(NotBuildableError):
            return like(value, [_piece(item, depth + 1, kept, fixed) for item in islice(value, shown)])
        return value
    if kind is dict:
        few = set(islice(value, kept))
        names = fixed.names if len(value) <= LONGEST_ROW else ()
        return {key: _piece(each, depth + 1, kept, fixed) for key, each in value.items() if key in few or key in names}
    if kind in (set, frozenset):
        return kind(islice(value, kept))
    if is_array(value) or is_frame(value):
        return value.iloc[:kept] if is_frame(value) else value[(slice(kept),) * value.ndim].copy(order="K")
    taken = taken_attributes(value) if is_made_whole(value) else ()
    held = {name: _piece(item, depth + 1, kept, fixed) for name, item in fields(value).items() if name in taken}
    try:
        return record_with(value, held) if held else value
    except NotBuildableError:
        return value
