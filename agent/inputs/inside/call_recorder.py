"""Records the outermost calls of one function: arguments copied before the call, written out as they come.

The wrapper steps aside for nested calls, for forked children and while it is paused, and it hands on results and
exceptions untouched. A generator function still returns a generator that has not started; where the call was written
out, it is one that passes everything on and tells how many items are taken (`taken_items`). Generators among the
arguments are copied item by item, as the function takes them (`given_iterators`).
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import inspect
import os
import threading
import time
import types
from typing import (
    TYPE_CHECKING,
    Any,
    ContextManager,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from ....sandbox.driver.call_blobs import NotCopyable
from ....sandbox.driver.call_files import SCRATCH, with_opened
from ....sandbox.driver.executed_modules import named
from ....sandbox.driver.opened_files import OpenedFiles
from ....sandbox.driver.user_module import attribute_names
from . import changed_copies
from .call_descriptions import describe_call, size_of
from .given_iterators import GivenIterators
from .new_forms import NewForms
from .new_steps import NewSteps
from .taken_items import follow
from .waiting_calls import CopiedCall, Use, WaitingCalls

if TYPE_CHECKING:
    from .harness_types import Copy, Write

FIRST_CALLS = 16  # always copied, unless more are asked for
FIRST_SMALL, SMALL_BYTES = 64, 16 * 1024  # likewise, as long as so few are written and they are no larger
SPREAD = 1.25  # after them, a call is always copied when the count has grown by this factor
COPYING_FREE_S = 0.5  # all calls are looked at until copying took this long,
COPYING_SHARE = 0.1  # and afterwards while it takes no more than this share of the run
COSTLIER = 1.2  # a call is written out if it took this many times what the costliest so far took
MAX_CALLS = 128
MAX_CALL_BYTES = 8 * 1024 * 1024
MAX_TOTAL_BYTES = 32 * 1024 * 1024
MAX_REASONS = 10

LATER = "the result takes the iterator's items later, where they cannot be recorded"

_WRAPPERS: Dict[int, Any] = {}  # by id; a mark on the wrapper would be copied by every `functools.wraps` around it


class Recorder:
    """Counts, copies and writes the calls of `qualname`. `write` takes a JSON-like dict; `copy` makes the blob.

    `module` is the name of the function's module, also where it is run as `__main__`.
    """

    def __init__(self, qualname: str, copy: Copy, write: Write, module: str = "") -> None:
        self.qualname, self.module = qualname, module
        self.names = qualname.split(".")
        self.origin = "captured from an import"  # until a source says what it runs: tests import, and it is called
        self.count = 0
        self.written = 0
        self.copy, self._write = copy, write
        self._steps, self._forms = NewSteps(), NewForms()
        self._files = OpenedFiles(read_below=SCRATCH)
        self._pid = os.getpid()
        self._local = threading.local()
        self._originals: Dict[int, Any] = {}  # what a wrapper replaced, by the wrapper's id
        self._started_s = time.monotonic()
        self._copying_s = 0.0
        self._bytes = 0
        self._first_calls, self._next_milestone = FIRST_CALLS, FIRST_CALLS + 1
        self._largest = 0
        self._costliest_s = 0.0
        self._seen: Set[bytes] = set()
        self._reasons: Set[str] = set()
        self._waiting = WaitingCalls(self)
        self._follows = True
        self._is_removed = False

    def record_all(self, write: Write, most: int) -> None:
        """From now on hand records to `write`, and those of so many calls whatever they cost.

        These are nobody's real calls: how their results are used tells nothing.
        """
        self._write, self._first_calls, self._next_milestone = write, most, most + 1
        self._follows = False

    def install(self, module: types.ModuleType) -> None:
        """Put the wrapper in the place of the function in `module`, if it is there and not wrapped yet."""
        holder, name = self._place(module)
        static = _held_by(holder, name)
        if static is not None and not _is_wrapped(static) and _can_be_wrapped(static):
            wrapper = self._wrap(holder, name, static)
            self._originals[id(wrapper)] = static
            _bind(holder, name, wrapper)

    def in_class_body(self, function: Any) -> Any:
        """The wrapper of a plain method whose class is still being made: no holder has it yet."""
        if not isinstance(function, types.FunctionType):
            return function
        wrapper = self._wrap_callable(None, self.names[-1], function, function)
        self._originals[id(wrapper)] = function
        return wrapper

    def _place(self, module: types.ModuleType) -> Tuple[Any, str]:
        """The module or class that holds the function, and its name there."""
        *owners, name = attribute_names(self.qualname)
        holder: Any = module
        for part in owners:
            holder = _held_by(holder, part)
        return holder, name

    @contextlib.contextmanager
    def removed(self, module: types.ModuleType) -> Iterator[None]:
        """Inside, the function itself is back in its place, and nothing is recorded."""
        holder, name = self._place(module)
        wrapper = _held_by(holder, name)
        is_wrapped = wrapper is not None and _is_wrapped(wrapper)
        if is_wrapped:
            _bind(holder, name, self._original_of(wrapper))
        self._is_removed = True
        try:
            yield
        finally:
            self._is_removed = False
            if is_wrapped:
                _bind(holder, name, wrapper)

    def _original_of(self, wrapper: Any) -> Any:
        """What a wrapper stands for; a method that was wrapped before `x = staticmethod(x)` is inside another."""
        if id(wrapper) in self._originals:
            return self._originals[id(wrapper)]
        if isinstance(wrapper, (staticmethod, classmethod)):
            return type(wrapper)(self._originals[id(wrapper.__func__)])
        if isinstance(wrapper, property):
            return property(self._originals[id(wrapper.fget)], wrapper.fset, wrapper.fdel, wrapper.__doc__)
        cached: Any = functools.cached_property(self._originals[id(wrapper.func)])
        cached.attrname = wrapper.attrname
        return cached

    def _wrap(self, holder: Any, name: str, static: Any) -> Any:
        if isinstance(static, (staticmethod, classmethod)):
            return type(static)(self._wrap_callable(holder, name, static, static.__func__))
        if isinstance(static, functools.cached_property):
            cached: Any = functools.cached_property(self._wrap_callable(holder, name, static, static.func))
            cached.attrname = static.attrname
            return cached
        if isinstance(static, property):
            getter = self._wrap_callable(holder, name, static, static.fget)
            return property(getter, static.fset, static.fdel, static.__doc__)
        return self._wrap_callable(holder, name, static, static)

    def _wrap_callable(self, holder: Any, name: str, static: Any, function: Any) -> Any:
        if not isinstance(function, types.FunctionType):
            return _remember(_CallableRecorder(self, holder, name, function))

        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            if not self.listening():
                return function(*args, **kwargs)
            return self.observe(holder, name, static, function, args, kwargs)

        return _remember(recorded)

    def listening(self) -> bool:
        """Whether a call that begins now is an outermost one of this process."""
        return not (self._is_removed or getattr(self._local, "inside", False)) and os.getpid() == self._pid

    def observe(  # noqa: PLR0917 - the place of the function, and the call
        self, holder: Any, name: str, static: Any, function: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]
    ) -> Any:
        """Make the call, and record it if it is worth it."""
        self._local.inside = True
        if holder is None:
            holder, name = self._place(named(function.__module__))
        wrapper = _held_by(holder, name)
        result = None
        try:
            self.count += 1
            call = self._copied(args, kwargs)
            if call is not None:
                args, kwargs = tuple(call.given.args), call.given.kwargs
            # Recursive calls go straight to the function: no second frame for each level, no time of ours in it.
            if _is_wrapped(wrapper):
                static = self._original_of(wrapper)
                _bind(holder, name, static)
            self._files.begin()
            followed = self._steps.begin(function) if call is not None else None
            ended, started_s = "raised", time.thread_time()
            try:
                result = function(*args, **kwargs)
                ended = "returned"
            finally:
                cpu_time_s = time.thread_time() - started_s
                is_new, following_s = self._steps.end(followed)
                self._files.end()
                if _held_by(holder, name) is static:
                    _bind(holder, name, wrapper)
                if call is not None:
                    call.blob = with_opened(call.blob, self._files.before())
                    call.ended, call.cpu_time_s = ended, max(cpu_time_s - following_s, 0.0)
                    call.is_new = call.is_new or is_new
                    if call.changed is not None and ended == "returned":
                        self._look_at_copy(call.changed, result, args, kwargs)
                    if not (call.given and _is_new_generator(result)):
                        self.keep(call, is_lazy=_is_lazy(result))
        finally:
            self._local.inside = False
        return result if call is None else self._handed_back(call, result)

    def _look_at_copy(
        self, changed: changed_copies.ChangedCopy, result: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        started_s = time.monotonic()
        changed.look(result, args, kwargs)
        self._copying_s += time.monotonic() - started_s

    def finish(self) -> None:
        """Write the calls whose results are still in use: the program is over."""
        self._waiting.finish()

    def _handed_back(self, call: CopiedCall, result: Any) -> Any:
        """What the caller gets for the result of a call that was copied."""
        if not _is_new_generator(result):
            return call.given.original(result)
        if call.given:
            return self._waiting.follow(call, result, self._local)
        if call.is_written and self._follows:
            return follow(result, functools.partial(self.tell_taken, call.number), self._local)
        return result

    def _copied(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Optional[CopiedCall]:
        """The call with its blob, or None if this one is not worth a copy or cannot be copied."""
        size = sum(map(size_of, args)) + sum(map(size_of, kwargs.values()))
        if self._is_full():
            return None
        new_form = self._forms.new_form(args, kwargs)
        if new_form is None and not self._wanted(size):
            return None
        started_s = time.monotonic()
        try:
            given = GivenIterators(args, kwargs)
            blob = self.copy(given.empty_args, given.empty_kwargs)
            changed = None
            if len(blob) <= MAX_CALL_BYTES:
                changed = changed_copies.changed_copy(given.empty_args, given.empty_kwargs, self.module)
        except Exception as error:  # noqa: BLE001 - copying runs code of the user's, which may raise anything
            self._skip("%s: %s" % (type(error).__name__, error))
            return None
        finally:
            self._copying_s += time.monotonic() - started_s
        self._largest = max(self._largest, size)
        if len(blob) > MAX_CALL_BYTES:
            self._skip("a call's arguments take more than %d MiB" % (MAX_CALL_BYTES >> 20))
            return None
        given.allow(MAX_CALL_BYTES - len(blob))
        call = CopiedCall(self.count, blob, describe_call(self.qualname, args, kwargs), given)
        call.changed = changed
        if new_form is not None:
            call.is_new = True
            self._forms.learn(new_form)
        return call

    def _is_full(self) -> bool:
        if self.written + len(self._waiting) >= MAX_CALLS:
            return True
        return self._bytes + self._waiting.copied_bytes >= MAX_TOTAL_BYTES

    def _wanted(self, size: int) -> bool:
        is_due = self.count <= self._first_calls or self.count >= self._next_milestone
        if is_due or size > self._largest * COSTLIER:
            return True
        return self._copying_s < COPYING_FREE_S + COPYING_SHARE * (time.monotonic() - self._started_s)

    def keep(self, call: CopiedCall, *, is_lazy: bool) -> None:
        """Write a call out, if it is worth it and of this process.

        `is_lazy`: it may be that only the use of its result takes something of its arguments.
        """
        if os.getpid() != self._pid:
            return
        blob = self._with_items(call, is_lazy=is_lazy) if call.given else call.blob
        if blob is None:
            return
        digest = hashlib.sha256(blob).digest()
        at_milestone = call.number <= self._first_calls or call.number >= self._next_milestone
        is_costly = call.cpu_time_s > self._costliest_s * COSTLIER
        is_small = self.written < FIRST_SMALL and len(blob) <= SMALL_BYTES
        if digest in self._seen or not (at_milestone or is_costly or call.is_new or is_small):
            return
        if self._bytes + len(blob) > MAX_TOTAL_BYTES:
            return
        self._seen.add(digest)
        self._costliest_s = max(self._costliest_s, call.cpu_time_s)
        if call.number >= self._next_milestone:
            self._next_milestone = int(call.number * SPREAD) + 1
        self.written += 1
        self._bytes += len(blob)
        self._write(
            {
                "kind": "call",
                "origin": self.origin,
                "description": call.description,
                "ended": call.ended,
                "number": call.number,
                "cpu_time_s": call.cpu_time_s,
                "blob": base64.b64encode(blob).decode("ascii"),
                "is_new": call.is_new,
                **({} if call.changed is None else {"did": call.changed.told()}),
            }
        )
        call.is_written = True

    def _with_items(self, call: CopiedCall, *, is_lazy: bool) -> Optional[bytes]:
        """The blob of a call with what it took of the iterators that it was given; None if there is no such copy."""
        started_s = time.monotonic()
        blob = None
        try:
            if is_lazy and call.given.is_untouched:
                self._skip(LATER)
            else:
                blob = call.given.put_into(call.blob, MAX_CALL_BYTES)
        except NotCopyable as error:
            self._skip(str(error))
        call.given.stop()
        self._copying_s += time.monotonic() - started_s + call.given.copying_s
        return blob

    def tell_taken(self, number: int, use: Use) -> None:
        """Tell how the result of a call that was written is used."""
        if self._follows and os.getpid() == self._pid:
            self._write({"kind": "taken", "number": number, **use})

    def _skip(self, reason: str) -> None:
        if reason not in self._reasons and len(self._reasons) < MAX_REASONS:
            self._reasons.add(reason)
            self._write({"kind": "skipped", "origin": self.origin, "reason": "arguments cannot be copied: " + reason})


class NoRecorder:
    """Stands in for a recorder while no function is chosen yet; `names` are those that tests may mention."""

    def __init__(self, names: List[str]) -> None:
        self.count = 0
        self.origin = ""
        self.names = names

    def removed(self, _module: types.ModuleType) -> ContextManager[None]:
        """Nothing is in the way of anybody."""
        return contextlib.nullcontext()


class _CallableRecorder:
    """Stands in for a callable that is no plain function (`functools.cache` and its like) and looks like it."""

    def __init__(self, recorder: Recorder, holder: Any, name: str, function: Any) -> None:
        self.__dict__.update(_function=function, _recorder=recorder, _holder=holder, _name=name, __wrapped__=function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        recorder, function = self._recorder, self._function
        if not recorder.listening():
            return function(*args, **kwargs)
        return recorder.observe(self._holder, self._name, function, function, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        getter = getattr(type(self._function), "__get__", None)
        if getter is None:
            return self
        return self if instance is None else types.MethodType(self, instance)

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self.__dict__["_function"], attribute)


def _is_lazy(result: Any) -> bool:
    """Whether the function may do its work only when its result is used."""
    return any(hasattr(type(result), name) for name in ("__next__", "__anext__", "__await__"))


def _is_new_generator(result: Any) -> bool:
    """Whether another generator can take its place: one that has started may wait for `send`."""
    return type(result) is types.GeneratorType and inspect.getgeneratorstate(result) == inspect.GEN_CREATED


def _remember(wrapper: Any) -> Any:
    _WRAPPERS[id(wrapper)] = wrapper
    return wrapper


def _is_wrapped(static: Any) -> bool:
    if isinstance(static, property):
        static = static.fget
    elif isinstance(static, functools.cached_property):
        static = static.func
    elif isinstance(static, (staticmethod, classmethod)):
        static = static.__func__
    return id(static) in _WRAPPERS


def _can_be_wrapped(static: Any) -> bool:
    """Whether it is called, or is one of the descriptors of which it is known what they call."""
    return callable(static) or isinstance(static, (staticmethod, classmethod, property, functools.cached_property))


def _held_by(holder: Any, name: str) -> Any:
    """What a module or a class holds under a name itself; None for a class that is still being made."""
    return vars(holder).get(name) if holder is not None else None


def _bind(holder: Any, name: str, value: Any) -> None:
    if isinstance(holder, type):
        type.__setattr__(holder, name, value)
    else:
        vars(holder)[name] = value
