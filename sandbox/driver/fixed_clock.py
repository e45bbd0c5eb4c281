"""Clocks that stand still, but for a step at each reading, for code whose outcome depends on the time.

Loaded only where a case asks for it. What user code reads of `time` and of `datetime` is ours then; what the standard
library waits by (threads, queues, event loops, child processes) stays real, and so does every sleep. Also notices
who reads the system's source of chance, which cannot be fixed: `os.urandom`, and with it `secrets` and `uuid4`.

Not reached: clocks that are read in C without going through Python (numpy's `datetime64("now")`, say).
"""

from __future__ import annotations

import datetime as dt
import gc
import os
import random
import sys
import time
from typing import Any, Callable, Dict, Optional, Tuple

START_NS = 1_750_000_000_000_000_000  # 2025-06-15 15:06:40 UTC
STEP_NS = 1_000_000  # a millisecond: loops that wait for a moment come to it soon
_WAITING = frozenset(
    (
        *("threading", "queue", "_queue", "asyncio", "subprocess", "selectors", "concurrent", "multiprocessing"),
        *("socket", "socketserver", "ssl", "sched", "select", "signal", "anyio", "trio", "uvloop"),
    )
)
_SECONDS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
_frame = sys._getframe  # noqa: SLF001 - the only way to know who asks


class FixedClock:
    """Stands in for the clocks of this process once it is installed."""

    def __init__(self) -> None:
        self._now = START_NS
        self.chance_was_read = False
        self._kept: Tuple[Any, ...] = ()  # what was replaced, alive for those who still hold it without owning it
        self._real: Dict[str, Callable[..., Any]] = dict(vars(time))

    def restart(self) -> None:
        """Every call begins at the same moment."""
        self._now = START_NS
        self.chance_was_read = False

    def install(self) -> None:
        """Replace the clocks, in the modules too that have taken them over by name."""
        replaced: Dict[int, Any] = {}
        for module, name, replacement in self._replacements():
            real = vars(module).get(name)
            if real is not None:
                replaced[id(real)] = replacement
                setattr(module, name, replacement)
        for module_name, module in list(sys.modules.items()):
            if module_name == "__main__" or module_name.split(".", 1)[0] in _WAITING:
                continue
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if id(value) in replaced:
                    setattr(module, name, replaced[id(value)])
        self._replace_methods()

    def _tick(self) -> int:
        self._now += STEP_NS
        return self._now

    def _replacements(self) -> Any:
        for name in _SECONDS:
            yield time, name, self._reader(name, 1e9)
            yield time, name + "_ns", self._reader(name + "_ns", None)
        for name, factor in (("clock_gettime", 1e9), ("clock_gettime_ns", None)):
            yield time, name, self._reader(name, factor)
        for name in ("localtime", "gmtime", "ctime"):
            yield time, name, self._converter(name)
        yield time, "asctime", self._describer("asctime", 0)
        yield time, "strftime", self._describer("strftime", 1)
        yield time, "sleep", self._sleeper()
        for module, name in ((os, "urandom"), (random, "_urandom")):
            yield module, name, self._chance(vars(module)[name])

    def _reader(self, name: str, factor: Optional[float]) -> Callable[..., Any]:
        real = self._real.get(name)

        def read(*arguments: Any) -> Any:
            if real is not None and _is_waiting():
                return real(*arguments)
            now = self._tick()
            return now if factor is None else now / factor

        read.__name__ = read.__qualname__ = name
        return read

    def _converter(self, name: str) -> Callable[..., Any]:
        real = self._real[name]

        def convert(seconds: Any = None) -> Any:
            return real(self._tick() / 1e9 if seconds is None else seconds)

        convert.__name__ = convert.__qualname__ = name
        return convert

    def _describer(self, name: str, place: int) -> Callable[..., Any]:
        """`asctime` and `strftime` take the present moment if they are given none."""
        real, localtime = self._real[name], self._real["localtime"]

        def describe(*arguments: Any) -> Any:
            if len(arguments) == place:
                arguments = (*arguments, localtime(self._tick() / 1e9))
            return real(*arguments)

        describe.__name__ = describe.__qualname__ = name
        return describe

    def _sleeper(self) -> Callable[..., Any]:
        real = self._real["sleep"]

        def sleep(seconds: Any) -> None:
            real(seconds)
            if not _is_waiting():
                self._now += int(seconds * 1e9)

        return sleep

    def _chance(self, real: Callable[[int], bytes]) -> Callable[[int], bytes]:
        def urandom(size: int) -> bytes:
            self.chance_was_read = True
            return real(size)

        return urandom

    def _replace_methods(self) -> None:
        """The two methods of `datetime` that read the clock in C; `today` asks the `time` module.

        The class is written in C and cannot be changed by assignment, and a class in its place would be another type
        to whoever looks. So its namespace is reached through the garbage collector.
        """
        kind = dt.datetime
        (namespace,) = gc.get_referents(kind.__dict__)
        moment = kind.fromtimestamp

        def now(cls: Any, tz: Any = None) -> Any:
            return cls.fromtimestamp(self._tick() / 1e9, tz)

        def utcnow(cls: Any) -> Any:
            told = moment(self._tick() / 1e9, dt.timezone.utc)
            return cls.combine(told.date(), told.time())

        self._kept = (namespace["now"], namespace["utcnow"])
        namespace["now"], namespace["utcnow"] = classmethod(now), classmethod(utcnow)
        _forget_lookups(kind)


def _forget_lookups(kind: type) -> None:
    """Let nobody find what a type had before: the interpreter remembers what it looked up, and does not own it.

    A package may have asked for the time while it was imported.
    """
    clear = getattr(sys, "_clear_internal_caches", None) or getattr(sys, "_clear_type_cache", None)
    if clear is not None:
        clear()
    try:
        import ctypes  # noqa: PLC0415 - few programs need this module of ours
    except ImportError:
        return
    modified = ctypes.PyDLL(None).PyType_Modified
    modified.argtypes, modified.restype = (ctypes.py_object,), None
    modified(kind)


def _is_waiting() -> bool:
    """Whether the library itself asks, in order to wait: who called the function that asks this."""
    reader = _frame(2).f_globals.get("__name__")
    return type(reader) is str and reader.split(".", 1)[0] in _WAITING
