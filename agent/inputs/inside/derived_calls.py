"""Makes edge cases out of real calls: what a wrong rewrite would miss is often just not in the ordinary input."""

from __future__ import annotations

import base64
import contextlib
import itertools
import time
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Sequence, Tuple

from ....sandbox.driver.call_blobs import Call, NotCopyable, dump_call, load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from .call_descriptions import describe_call
from .call_parts import fields, record_with
from .call_trial import Trier, limit_memory
from .container_kinds import NotBuildableError
from .harness_types import HURRIED
from .iterator_arguments import root_with_lists, with_iterators_again
from .method_objects import FILLED, objects_by_methods
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

MAX_DERIVED = 12
LIMIT_S = 2.0
SLACK = 4  # how many times as long as allowed an edge case may take, in wall time, until it is given up,
SLACK_S = 0.3  # and this much more: the machine may be busy
MAX_VARIANTS = 36
MAX_VARIANT_BYTES = 16 * 1024 * 1024  # of all variants that are looked at
MAX_HEAVY_TRIED = 3
MAX_RAISING = 4
MOST_OBJECTS = 12  # that methods fill
BUDGET_SHARE = 0.6  # of the time limit


def derive_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Vary one argument of a given call at a time, and keep what the original copes with in time."""
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    limit_memory(request["memory_kib"])
    with recorder.removed(module):
        guarded(write, "run", lambda: _derive(request, module, write))


def _derive(request: Request, module: ModuleType, write: Write) -> None:
    blobs = [base64.b64decode(blob) for blob in request["blobs"]]
    trier = Trier(module, resolve(module, request["qualname"]).function, request, write)
    for blob in blobs:
        trier.know(blob)
    method = request["qualname"].rpartition(".")[2]
    # In turns from each call: the first call must not use up all the room.
    variants = list(_bounded(_in_turns([_variants(blob, method) for blob in blobs])))
    light = [variant for variant in variants if len(variant[0]) <= request["budget_bytes"]]
    heavy = [variant for variant in variants if len(variant[0]) > request["budget_bytes"]]
    if request["lacks_heavy"]:
        heavy = list(itertools.islice(_near_costliest(blobs[0], method), MAX_VARIANTS))
    attempts = _Attempts(trier, request, write)
    # The host keeps the cheapest and one that is dear, so one attempt that takes about as long as the costliest call
    # has to succeed. Where no other call does, a gain could not be measured both on inputs to select by and on held-out
    # ones without it.
    for blob, may_raise in heavy[:MAX_HEAVY_TRIED]:
        if attempts.over() or attempts.make_heavy(blob, may_raise=may_raise):
            break
    for blob, may_raise in sorted(light, key=lambda variant: len(variant[0])):
        if attempts.over():
            break
        attempts.make(blob, may_raise=may_raise)


def _near_costliest(blob: bytes, method: str) -> Iterator[Tuple[bytes, bool]]:
    """Variants of the costliest call that are likely to take about as long: a little less data, then other data.

    What is cut off at its end keeps what all real calls have in common: an order, say, or no two equal elements.
    """
    call = load_call(blob)
    arguments = _by_key(*root_with_lists(call))
    lengths = {key: len(value) for key, value in arguments.items() if type(value) in (list, tuple, str, bytes, dict)}
    longest = max(lengths.values(), default=0)
    if longest > 1:
        kept = longest - max(longest // 10, 1)
        cut = {key: _beginning(arguments[key], kept) for key, length in lengths.items() if length == longest}
        yield from ((varied, True) for varied in _with_arguments(call, {**arguments, **cut}))
    for key, value in arguments.items():
        if type(value) is int and value > 2:
            yield from ((varied, True) for varied in _with_arguments(call, {**arguments, key: value - 1}))
    yield from (variant for variant in _variants(blob, method) if 2 * len(variant[0]) > len(blob))


def _beginning(value: Any, kept: int) -> Any:
    return dict(itertools.islice(value.items(), kept)) if type(value) is dict else value[:kept]


class _Attempts:
    """Tries variants until there are enough, or until those that were kept take as long as the host has use for."""

    def __init__(self, trier: Trier, request: Request, write: Write) -> None:
        self._trier, self._request, self._write = trier, request, write
        self._deadline_s = time.monotonic() + BUDGET_SHARE * request["wall_time_s"]
        self._limit_s = min(LIMIT_S, SLACK * request["most_s"] + SLACK_S)
        self._raising = 0
        self._spent_s = 0.0
        self._dearest_s = 0.0

    def over(self) -> bool:
        """Whether no more are wanted; the dearest does not count."""
        is_spent = self._spent_s - self._dearest_s > self._request["budget_s"]
        if self._trier.written >= MAX_DERIVED or is_spent:
            return True
        if time.monotonic() <= self._deadline_s:
            return False
        self._write(HURRIED)
        return True

    def make(self, blob: bytes, *, may_raise: bool) -> bool:
        """Try one, and write it if it is of use. Tells whether it was."""
        cost = self._trier.cost(blob, self._limit_s)
        if cost is None or cost[0] > self._request["most_s"]:
            self._tell_too_long(blob, self._limit_s if cost is None else self._request["most_s"])
            return False
        if cost[1] == "raised" and not (may_raise and self._raising < MAX_RAISING):
            return False
        kept = self._trier.keep(blob, *cost)
        self._raising += kept and cost[1] == "raised"
        self._spent_s += cost[0]
        self._dearest_s = max(self._dearest_s, cost[0])
        return kept

    def make_heavy(self, blob: bytes, *, may_raise: bool) -> bool:
        """Try one that is not charged to the others' time. Tells whether it was of use, and heavy."""
        spent_s, dearest_s = self._spent_s, self._dearest_s
        is_kept = self.make(blob, may_raise=may_raise)
        cost_s = self._spent_s - spent_s
        self._spent_s, self._dearest_s = spent_s, dearest_s
        return is_kept and cost_s >= float(self._request["heavy_s"])

    def _tell_too_long(self, blob: bytes, limit_s: float) -> None:
        call = load_call(blob)
        text = describe_call(self._request["qualname"], call.args, call.kwargs)
        reason = "the original takes longer than %.2g s for %s" % (limit_s, text)
        self._write({"kind": "skipped", "origin": self._request["origin"], "reason": reason})


def _bounded(variants: Iterable[Tuple[bytes, bool]]) -> Iterator[Tuple[bytes, bool]]:
    """The first of them, no more than can be looked at in little time."""
    room = MAX_VARIANT_BYTES
    for variant in itertools.islice(variants, MAX_VARIANTS):
        room -= len(variant[0])
        yield variant
        if room < 0:
            return


def _variants(blob: bytes, method: str) -> Iterator[Tuple[bytes, bool]]:
    """Blobs of the call with one thing changed, and whether a variant that raises tells anything.

    Arguments take turns. If none of them can be changed (a method without parameters), objects like those that are
    passed stand in for them, as their constructor and their methods make them; what raises then is no use.
    """
    call = load_call(blob)
    arguments = _by_key(*root_with_lists(call))
    changes = [[(key, changed) for changed in changed_values(value)] for key, value in arguments.items()]
    may_raise = any(changes)
    if not may_raise:
        changes = [[(key, made) for made in _objects_like(value, method)] for key, value in arguments.items()]
    for key, changed in _in_turns(changes):
        yield from ((varied, may_raise) for varied in _with_arguments(call, {**arguments, key: changed}))


def _with_arguments(call: Call, arguments: Mapping[Any, Any]) -> Iterator[bytes]:
    """The blob of the call with these arguments; none if they cannot be copied."""
    root = [[arguments[index] for index in range(len(call.args))], {name: arguments[name] for name in call.kwargs}]
    args, kwargs = with_iterators_again(root, call)
    with contextlib.suppress(NotCopyable):
        yield dump_call(args, kwargs, call.globals, call.absent)


def _objects_like(value: Any, method: str) -> Iterator[Any]:
    """Objects of the same class that differ in an attribute, or that calls of its methods filled."""
    for attribute, held in sorted(fields(value).items()):
        for changed in changed_values(held):
            with contextlib.suppress(NotBuildableError):
                yield record_with(value, {attribute: changed})
    for kind, made in itertools.islice(objects_by_methods(value, without=method), MOST_OBJECTS):
        if kind == FILLED:
            yield made


def _by_key(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Dict[Any, Any]:
    """All arguments by index or name."""
    return {**dict(enumerate(args)), **kwargs}


def changed_values(value: Any) -> List[Any]:
    """Edge cases near a value of an exact built-in type; none for anything else."""
    kind = type(value)
    if kind in (list, tuple, str, bytes):
        half = len(value) // 2
        changed = [value[:0], value[:half] * 2, value[::-1], value[:half], value[:1], value[half:] + value[:half]]
    elif kind is dict:
        items = list(value.items())
        changed = [{}, dict(items[::-1]), dict(items[: len(items) // 2]), dict(items[:1])]
    elif kind in (set, frozenset):
        items = list(value)
        changed = [kind(), kind(items[: len(items) // 2]), kind(items[:1])]
    elif kind is int:
        changed = [0, 1, value // 2, value + 1]
    else:
        return []
    return changed


def _in_turns(iterables: Iterable[Iterable[Any]]) -> Iterator[Any]:
    for row in itertools.zip_longest(*iterables):
        yield from (item for item in row if item is not None)
