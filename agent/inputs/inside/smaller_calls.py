"""Makes a call smaller by one step, in every way that promises something; the host tells which of them still show it.

Smaller is: fewer parts first, then simpler ones. Every variant is smaller than the call, so shrinking comes to an end.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import math
import time
from itertools import islice
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Set, Tuple

from ....sandbox.driver.call_blobs import Call, NotCopyable, dump_call, load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from ....sandbox.driver.value_encoder import Encoder, TooLarge
from .assumptions import Assumed
from .call_descriptions import describe_call
from .call_literals import call_text
from .call_parts import (
    Place,
    Root,
    Site,
    fields,
    fixed_sites,
    like,
    places,
    substituted,
    with_value,
)
from .call_trial import Trier
from .container_kinds import MAPPINGS, SEQUENCES, NotBuildableError, is_named_tuple
from .edge_values import in_turns
from .iterator_arguments import root_with_lists, with_iterators_again
from .optional_arguments import Signature, signature_of
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

MAX_THOUGHT_OF = 600
THINKING_S = 0.4  # the first variants leave out most, so that a large call is soon a small one
LONGEST_BASE_S, LONGEST_S, MOST_LOST_S = 1.0, 0.2, 0.8  # wall time
MAX_DROPPED = 16  # single elements of one sequence that are left out in turn
MAX_HALVED_BITS = 16  # of a number, of which all halves are variants
_PLAIN_LETTERS = "ab"
_COLLECTIONS = (*SEQUENCES, set, frozenset, str, bytes, bytearray)

Size = Tuple[int, int, int]  # parts, letters and elements; how far the numbers are from 0; how odd the texts are


def shrink_call(request: Request, recorder: Recorder, write: Write) -> None:
    """Write the call of the request with its text, then up to `wanted` smaller variants of it, the smallest first."""
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is not None:
        fresh = recorder.copy((), {})
        with recorder.removed(module):
            guarded(write, "run", lambda: _shrink(request, module, fresh, write))


def _shrink(request: Request, module: ModuleType, fresh: bytes, write: Write) -> None:
    target = resolve(module, request["qualname"])
    blob = base64.b64decode(request["blob"])
    call = load_call(blob)
    usual = load_call(fresh)
    signature = signature_of(target, request["source"])
    real = [load_call(base64.b64decode(each)) for each in request["blobs"]]
    fixed = fixed_sites(map(root_with_lists, real))

    def tell(number: int, data: bytes) -> None:
        told = load_call(data)
        unusual = {name: value for name, value in told.globals.items() if not _same(value, usual.globals.get(name))}
        write(
            {
                "kind": "call",
                "origin": request["origin"],
                "description": describe_call(request["qualname"], told.args, told.kwargs),
                "text": call_text(request["qualname"], target.kind, told.args, told.kwargs, unusual),
                "ended": "unknown",
                "number": number,
                "cpu_time_s": 0.0,
                "blob": base64.b64encode(data).decode("ascii"),
            }
        )

    tell(1, blob)
    assumed = Assumed(module, target.function, request["assume"])
    smaller = (data for data in _smaller(call, usual, signature, fixed) if _keeps_to(assumed, data))
    ending = _that_end(Trier(module, target.function, request, write), blob, smaller)
    for number, data in enumerate(islice(ending, request["wanted"]), start=2):
        tell(number, data)


def _that_end(trier: Trier, blob: bytes, smaller: Iterator[bytes]) -> Iterator[bytes]:
    """Those that end about as soon as the call itself does, until too much time was lost on others.

    Whoever makes them all in one process waits for the first that does not end, and for each after it.
    """
    known = trier.cost(blob, LONGEST_BASE_S)
    if known is None:
        yield from smaller
        return
    most_s = LONGEST_S + 2 * known[0]
    lost_s = 0.0
    for data in smaller:
        if trier.cost(data, most_s) is not None:
            yield data
            continue
        lost_s += most_s
        if lost_s > MOST_LOST_S:
            return


def _keeps_to(assumed: Assumed, data: bytes) -> bool:
    call = load_call(data)
    return assumed.hold(call.args, call.kwargs)


def _smaller(call: Call, usual: Call, signature: Signature, fixed: Set[Site]) -> List[bytes]:
    """The blobs of all smaller variants, the smallest first."""
    root = root_with_lists(call)
    least = size_of(root)
    known: Dict[bytes, Tuple[Size, bytes]] = {}
    with contextlib.suppress(NotCopyable):  # the module as importing it leaves it: less to tell
        blob = dump_call(call.args, call.kwargs, usual.globals, usual.absent)
        if not _same(call.globals, usual.globals):
            known[hashlib.sha256(blob).digest()] = (least, blob)
    until_s = time.monotonic() + THINKING_S
    for variant in islice(_variants(root, signature, fixed), MAX_THOUGHT_OF):
        if time.monotonic() > until_s:
            break
        size = size_of(variant)
        if size < least:
            with contextlib.suppress(NotCopyable):
                args, kwargs = with_iterators_again(variant, call)
                blob = dump_call(args, kwargs, call.globals, call.absent)
                known.setdefault(hashlib.sha256(blob).digest(), (size, blob))
    return [blob for _, blob in sorted(known.values(), key=lambda each: each[0])]


def _same(one: Any, other: Any) -> bool:
    """Whether they hold the same, sets in any order: no code of the user's compares them."""
    try:
        if dump_call((one,), {}, {}) == dump_call((other,), {}, {}):
            return True
        encoders = Encoder(drain=_left_alone), Encoder(drain=_left_alone)
        first, second = (each.encode(value) for each, value in zip(encoders, (one, other)))  # noqa: B905 - Python 3.9
    except (NotCopyable, TooLarge):
        return False
    return first == second and not any(each.opaque for each in encoders)


def _left_alone(_iterator: Any) -> Any:
    raise NotCopyable("what it gives would be taken from it")


def _variants(root: Root, signature: Signature, fixed: Set[Site]) -> Iterator[Root]:
    yield from signature.with_fewer(root)
    yield from _together(root, fixed)
    yield from in_turns([_at_place(root, place) for place in places(root) if place.site not in fixed])


def _at_place(root: Root, place: Place) -> Iterator[Root]:
    for value in _simpler(place.value):
        yield with_value(root, place, value)


def _together(root: Root, fixed: Set[Site]) -> Iterator[Root]:
    """Sequences of one length lose the same elements: they may belong together."""
    by_length: Dict[int, List[Any]] = {}
    for place in places(root):
        if (
            type(place.value) in SEQUENCES
            and len(place.value) > 1
            and not (type(place.value) is tuple and place.site in fixed)
        ):
            others = by_length.setdefault(len(place.value), [])
            if all(place.value is not other for other in others):
                others.append(place.value)
    for length, members in by_length.items():
        if len(members) < 2:
            continue
        for start, end in _cuts(length):
            changed = root
            with contextlib.suppress(NotBuildableError):
                # Inner ones first: an outer one holds the inner ones as they were.
                for member in members[::-1]:
                    items = list(member)
                    changed = substituted(changed, member, like(member, items[:start] + items[end:]))
                yield changed


def _cuts(length: int) -> Iterator[Tuple[int, int]]:
    """Which stretches to leave out: everything, halves, quarters, single elements."""
    step = length
    while step >= 1:
        for start in range(0, length, step):
            yield start, min(start + step, length)
            if step == 1 and start >= MAX_DROPPED:
                break
        step //= 2


def _simpler(value: Any) -> Iterator[Any]:
    kind = type(value)
    if kind is bool:
        if value:
            yield False
    elif kind is int:
        yield from _simpler_integers(value)
    elif kind is float:
        yield from _simpler_floats(value)
    elif kind in _COLLECTIONS:
        yield from _simpler_collections(value)
    elif kind in MAPPINGS:
        items = list(value.items())
        for start, end in _cuts(len(items)):
            copied = value.copy()
            for key, _ in items[start:end]:
                del copied[key]
            yield copied


def _simpler_integers(value: int) -> Iterator[int]:
    sign = -1 if value < 0 else 1
    yield from (0, 1, -1, abs(value), value - sign)
    digits = abs(value).bit_length()
    # All halves at once: one process tries them, where a generation for each would take seconds.
    kept = range(2, digits) if digits <= MAX_HALVED_BITS else (2, 8, 31, 33, 63, digits - 1)
    yield from (sign * (abs(value) >> (digits - keep)) for keep in kept if keep < digits)


def _simpler_floats(value: float) -> Iterator[float]:
    yield from (0.0, 1.0, -1.0, abs(value))
    if math.isfinite(value):
        yield float(int(value))
        yield value / 2
        yield round(value, 1)


def _simpler_collections(value: Any) -> Iterator[Any]:
    kind = type(value)
    items: Any = value if kind in (str, bytes, bytearray) else list(value)
    for start, end in _cuts(len(items)):
        kept = items[:start] + items[end:]
        yield kept if kind in (str, bytes, bytearray) else like(value, kept)
    if kind is str:
        for letter in _PLAIN_LETTERS:
            for index in range(min(len(value), MAX_DROPPED)):
                yield value[:index] + letter + value[index + 1 :]
        yield value.lower()
    elif kind in SEQUENCES and len(items) > 1:
        # An element like its neighbour is simpler than another one.
        for index in range(1, min(len(items), MAX_DROPPED)):
            yield like(value, [*items[:index], items[index - 1], *items[index + 1 :]])


def size_of(value: Any) -> Size:
    """How large a value is, for comparisons: parts, magnitude of numbers, oddness of texts."""
    parts = magnitude = oddness = 0
    waiting: List[Any] = [value]
    seen = set()
    while waiting:
        current = waiting.pop()
        parts += 1
        kind = type(current)
        if kind in (int, bool, float):
            magnitude += _distance(current)
        elif kind is str:
            parts += len(current)
            oddness += sum(_oddness(character) for character in current)
        elif kind in (bytes, bytearray):
            parts += len(current)
        elif kind in (*SEQUENCES, set, frozenset, *MAPPINGS) or is_named_tuple(kind) or fields(current):
            if id(current) in seen:
                continue
            seen.add(id(current))
            if kind in MAPPINGS:
                waiting.extend(current.keys())
                waiting.extend(current.values())
            else:
                waiting.extend(fields(current).values() if fields(current) else list(current))
    return parts, magnitude, oddness


def _distance(number: Any) -> int:
    """How far a number is from 0; negative ones, fractions and what is no number are farther."""
    if type(number) is float and not math.isfinite(number):
        return 1 << 80
    whole = int(abs(number))
    digits = len(repr(number)) if type(number) is float and abs(number) != whole else 0
    is_negative = number < 0 or (type(number) is float and math.copysign(1.0, number) < 0)
    return 256 * whole.bit_length() + 4 * min(whole, 255) + 2 * digits + is_negative


def _oddness(character: str) -> int:
    if character in _PLAIN_LETTERS:
        return _PLAIN_LETTERS.index(character)
    return 3 + (not character.isalnum()) + 2 * (ord(character) > 126) + character.isupper()
