"""Makes edge cases out of real calls: what a wrong rewrite would miss is often just not in the ordinary input."""

from __future__ import annotations

import base64
import contextlib
import importlib
import itertools
import time
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Sequence, Tuple

if TYPE_CHECKING:
    from types import ModuleType

    from afterburner.agent.workloads.harness.abh_describe import describe_call
    from afterburner.agent.workloads.harness.abh_recorder import Recorder
    from afterburner.agent.workloads.harness.abh_run import guarded
    from afterburner.agent.workloads.harness.abh_trial import Trier, limit_memory
    from afterburner.agent.workloads.harness.abh_words import Request, Write
    from afterburner.sandbox.driver.ab_calls import NotCopyable, dump_call, load_call
    from afterburner.sandbox.driver.ab_modules import resolve
else:
    from ab_calls import NotCopyable, dump_call, load_call
    from ab_modules import resolve
    from abh_describe import describe_call
    from abh_run import guarded
    from abh_trial import Trier, limit_memory

MAX_DERIVED = 12
LIMIT_S = 2.0
MAX_RAISING = 4
BUDGET_SHARE = 0.6  # of the time limit


def derive_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Vary one argument of a given call at a time, and keep what the original copes with in time."""
    module = guarded(write, "import", lambda: importlib.import_module(request["module"]))
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
    raising, deadline_s = 0, time.monotonic() + BUDGET_SHARE * request["wall_time_s"]
    # In turns from each call: the first call must not use up all the room.
    for blob, may_raise in _in_turns([_variants(blob) for blob in blobs]):
        if trier.written >= MAX_DERIVED or time.monotonic() > deadline_s:
            return
        cost = trier.cost(blob, LIMIT_S)
        if cost is None:
            call = load_call(blob)
            text = describe_call(request["qualname"], call.args, call.kwargs)
            reason = "the original takes longer than %g s for %s" % (LIMIT_S, text)
            write({"kind": "skipped", "origin": request["origin"], "reason": reason})
        elif cost[1] == "returned" or (may_raise and raising < MAX_RAISING):
            raising += trier.keep(blob, *cost) and cost[1] == "raised"


def _variants(blob: bytes) -> Iterator[Tuple[bytes, bool]]:
    """Blobs of the call with one thing changed, and whether a variant that raises tells anything.

    Arguments take turns. If none of them can be changed (a method without parameters), attributes of the objects
    that are passed are changed instead; that may break what the class takes for granted, so what raises is no use.
    """
    call = load_call(blob)
    arguments = _by_key(call.args, call.kwargs)
    changes = [[(key, "", changed) for changed in changed_values(value)] for key, value in arguments.items()]
    may_raise = any(changes)
    if not may_raise:
        changes = [
            [(key, attribute, changed) for changed in changed_values(held)]
            for key, value in arguments.items()
            if not isinstance(value, type)
            for attribute, held in sorted(getattr(value, "__dict__", {}).items())
        ]
    for key, attribute, changed in _in_turns(changes):
        fresh = load_call(blob)
        values = _by_key(fresh.args, fresh.kwargs)
        if attribute:
            vars(values[key])[attribute] = changed
        else:
            values[key] = changed
        args = [values[index] for index in range(len(fresh.args))]
        kwargs = {name: values[name] for name in fresh.kwargs}
        with contextlib.suppress(NotCopyable):
            yield dump_call(args, kwargs, fresh.globals, fresh.absent), may_raise


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
