"""Profiles a workload and tells how much memory each function of the target's file holds for its own work.

Every function of the file gets a wrapper that reads tracemalloc when it is entered and left. What counts of a call is
its *transient* memory: how far the level rose above where it was on entry, less

- what is still alive after it: its product, which a rewrite has to make as well;
- what its callees need meanwhile: that is theirs;
- one product of each of its callees, for a caller has to take what it is given. If it keeps many products of a callee
  at the same time (a list of parsed rows), that is its own doing, and all but one of them count.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import threading
import tracemalloc
import types
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, List, Set, Tuple

from .alarm import limited_time
from .import_hook import change_file

if TYPE_CHECKING:
    from .call_recorder import NoRecorder
    from .harness_types import Request, Write

METERED_SHARE = 0.5  # of the time limit; metering makes a program several times slower
# What a decorator inside the user's file calls; it cannot be handed anything.
_METERS: List[MemoryMeter] = []


def profile_memory(job: Callable[..., None], request: Request, recorder: NoRecorder, write: Write) -> None:
    """Run `job` with every function of the file metered, and write one record for each that was called."""
    meter = MemoryMeter()
    _METERS.append(meter)
    change_file(request, decorate)
    sys.setrecursionlimit(2 * sys.getrecursionlimit())  # every call of a function of the file is two
    with limited_time(METERED_SHARE * request["wall_time_s"]):
        job(request, recorder, write)
    tracemalloc.stop()
    for name, transient in meter.transient.items():
        sizes = {"transient_bytes": transient, "kept_bytes": meter.kept[name]}
        write({"kind": "memory", "function": name, **sizes, "callees": sorted(meter.callees.get(name, ()))})


def decorate(tree: ast.Module) -> None:
    """Put the meter's decorator next to every function and method of the file, below its other decorators, and start.

    There it gets the plain function, whatever else becomes of that: a property, a class method, a cached function.
    """

    def visit(body: List[Any], prefix: str) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                text = "__import__(%r, fromlist=['metered']).metered(%r)" % (__name__, prefix + node.name)
                decorator = ast.parse(text, mode="eval").body
                for part in ast.walk(decorator):
                    ast.copy_location(part, node)
                node.decorator_list.append(decorator)
            elif isinstance(node, ast.ClassDef):
                visit(node.body, prefix + node.name + ".")
            elif isinstance(node, (ast.If, ast.Try)):
                visit(node.body + node.orelse, prefix)

    visit(tree.body, "")
    tracemalloc.start()  # only now: what imports much before (pytest, for instance) would take several times as long


def metered(name: str) -> Callable[[Any], Any]:
    """A decorator that meters a function under `name`; nested functions count as the one they stand in."""
    return functools.partial(_wrap, _METERS[-1], name)


class _Call:
    """One call: a function's runs once, a generator's once for each item. All in bytes."""

    __slots__ = ("given", "held", "name", "own", "peak")

    def __init__(self, name: str) -> None:
        self.name = name
        self.held = 0  # what its runs until now left behind, net
        self.peak = 0  # above entry, without what callees need meanwhile
        self.own = 0  # the same without one product of each callee
        self.given: Dict[str, int] = {}  # the largest product of each callee


class _Run:
    """One stretch from entering a call's code to leaving it; levels in bytes, as tracemalloc counts them."""

    __slots__ = ("call", "entry", "taken_up")

    def __init__(self, call: _Call, entry: int) -> None:
        self.call, self.entry = call, entry
        self.taken_up = entry  # the level when its own code began, or went on after a callee

    def pause(self, peak: int) -> None:
        """Its own code stops, for a callee or for good; `peak` is the highest level since it was taken up."""
        call = self.call
        height = call.held + peak - self.entry
        given = min(sum(call.given.values()), max(call.held + self.taken_up - self.entry, 0))
        call.peak = max(call.peak, height)
        call.own = max(call.own, height - given)


class MemoryMeter:
    """Knows what is running, and for each function the largest transient memory (bytes) and whom it called.

    Only the thread that made it is metered: tracemalloc has one level for all of them.
    """

    def __init__(self) -> None:
        self.transient: Dict[str, int] = {}
        self.kept: Dict[str, int] = {}  # the same with all products of callees
        self.callees: Dict[str, Set[str]] = {}
        self._runs: List[_Run] = []
        self._open: Dict[str, List[_Run]] = {}  # the runs by function: the levels of a recursion are one piece of work
        self._thread = threading.get_ident()

    def listening(self) -> bool:
        """Whether this thread is metered."""
        return threading.get_ident() == self._thread

    def enter(self, call: _Call) -> None:
        """The call's own code begins to run."""
        level, peak = tracemalloc.get_traced_memory()
        if self._runs:
            caller = self._runs[-1]
            caller.pause(peak)
            self.callees.setdefault(caller.call.name, set()).add(call.name)
        run = _Run(call, level)
        self._runs.append(run)
        self._open.setdefault(call.name, []).append(run)
        tracemalloc.reset_peak()

    def leave(self, *, failed: bool) -> None:
        """It has stopped. If it failed, what is alive is no product, but what the exception keeps."""
        level, peak = tracemalloc.get_traced_memory()
        run = self._runs.pop()
        call, same = run.call, self._open[run.call.name]
        same.pop()
        run.pause(peak)
        product = 0 if failed else level - run.entry
        call.held += product
        if same:
            outer, below = same[-1], run.entry - same[-1].entry
            outer.call.peak = max(outer.call.peak, below + call.peak)
            outer.call.own = max(outer.call.own, below + call.own)
        if self._runs:
            caller = self._runs[-1]
            caller.taken_up = level
            caller.call.given[call.name] = max(caller.call.given.get(call.name, 0), product)
        kept = call.peak - max(call.held, 0)
        self.kept[call.name] = max(self.kept.get(call.name, 0), kept)
        self.transient[call.name] = max(self.transient.get(call.name, 0), min(kept, call.own))
        tracemalloc.reset_peak()


def _wrap(meter: MemoryMeter, name: str, function: Any) -> Any:
    if not isinstance(function, types.FunctionType) or inspect.isasyncgenfunction(function):
        return function  # the work of an asynchronous generator counts as that of who awaits it
    # The wrappers below run with the globals of the user's file, so they use names of this function alone.
    if inspect.iscoroutinefunction(function):
        awaitable = functools.partial(types.coroutine(_stepwise), meter, name)

        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            return await awaitable(function(*args, **kwargs))

        return _like(function, coroutine)
    if inspect.isgeneratorfunction(function):
        stepwise = functools.partial(_stepwise, meter, name)

        def generator(*args: Any, **kwargs: Any) -> Any:
            return (yield from stepwise(function(*args, **kwargs)))

        return _like(function, generator)
    new_call = _Call

    def plain(*args: Any, **kwargs: Any) -> Any:
        if not meter.listening():
            return function(*args, **kwargs)
        meter.enter(new_call(name))
        failed = True
        try:
            result = function(*args, **kwargs)
            failed = False
            return result
        finally:
            meter.leave(failed=failed)

    return _like(function, plain)


def _like(function: types.FunctionType, wrapper: Any) -> Any:
    """The wrapper with the name, the signature and the globals of the function: doctest and others look at these."""
    code, closure = wrapper.__code__, wrapper.__closure__
    return functools.update_wrapper(types.FunctionType(code, function.__globals__, closure=closure), function)


def _stepwise(meter: MemoryMeter, name: str, inner: Any) -> Generator[Any, Any, Any]:
    """Run a generator or coroutine step by step, each step metered."""
    call = _Call(name)
    step: Tuple[Callable[..., Any], Any] = (inner.send, None)
    try:
        while True:
            try:
                item = _metered_step(meter, call, *step)
            except StopIteration as end:
                return end.value
            try:
                step = (inner.send, (yield item))
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001 - whatever is thrown in is for the inner generator
                step = (inner.throw, error)
    finally:
        inner.close()


def _metered_step(meter: MemoryMeter, call: _Call, advance: Callable[[Any], Any], value: Any) -> Any:
    if not meter.listening():
        return advance(value)
    meter.enter(call)
    failed = True
    try:
        item = advance(value)
    except StopIteration:
        failed = False
        raise
    else:
        failed = False
        return item
    finally:
        meter.leave(failed=failed)
