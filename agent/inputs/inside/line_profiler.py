"""Profiles a workload line by line: how often each line of the target's file ran, and how long until the next one did.

A line's time is its own and that of calls out of the file. What it calls within the file counts for the lines there,
so the times of all lines add up to the whole. What the profiler itself takes is left out as far as a clock can tell.
"""

from __future__ import annotations

import base64
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Protocol

from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from .alarm import PROFILED_SHARE, limited_time
from .call_trial import Trier, limit_memory
from .import_hook import change_file
from .user_code import guarded

if TYPE_CHECKING:
    from types import FrameType

    from .call_recorder import NoRecorder, Recorder
    from .harness_types import Request, Write

MAX_LINES = 400  # that are told, the costliest


def profile_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Make the given calls, and write one record for each line of the file that ran in them."""
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    limit_memory(request["memory_kib"])
    meter = LineMeter(request["path"])
    deadline_s = time.monotonic() + PROFILED_SHARE * request["wall_time_s"]
    with recorder.removed(module):
        function = Metered(resolve(module, request["qualname"]).function, meter)
        trier = Trier(module, function, request, write)
        for number, blob in enumerate(request["blobs"]):
            left_s = deadline_s - time.monotonic()
            cost = trier.cost(base64.b64decode(blob), left_s) if left_s > 0 else None
            if cost is None:
                reason = "the time for profiling was over in call %d of %d" % (number + 1, len(request["blobs"]))
                write({"kind": "failed", "stage": "run", "reason": reason})
                break
    _write_lines(meter, write)


def profile_program(job: Callable[..., None], request: Request, recorder: NoRecorder, write: Write) -> None:
    """Run the whole file as `job` does, and write one record for each line of it that ran."""
    change_file(request, lambda _tree: None)  # the request's text instead of the file's
    meter = LineMeter(request["path"])
    with limited_time(PROFILED_SHARE * request["wall_time_s"]):
        meter.start()
        try:
            job(request, recorder, write)
        finally:
            meter.stop()
    _write_lines(meter, write)


class LineMeter:
    """Adds up, for each line of one file, how often it ran (`hits`) and for how long (`time_ns`)."""

    def __init__(self, path: str) -> None:
        self.hits: Dict[int, int] = {}
        self.time_ns: Dict[int, int] = {}
        self._path = path
        self._now = time.perf_counter_ns
        self._line = 0  # 0: none of the file's
        self._since = 0

    def start(self) -> None:
        """From now on lines count, in this thread."""
        self._line, self._since = 0, self._now()
        sys.settrace(self._on_call)

    def stop(self) -> None:
        """No line counts any more."""
        sys.settrace(None)
        self._go_on_in(0, self._now())

    def _on_call(self, frame: FrameType, _event: str, _argument: Any) -> Optional[Callable[..., Any]]:
        now = self._now()
        if frame.f_code.co_filename != self._path:
            self._since += self._now() - now
            return None
        self._go_on_in(frame.f_lineno, now)
        return self._on_line

    def _on_line(self, frame: FrameType, event: str, _argument: Any) -> Callable[..., Any]:
        now = self._now()
        if event == "line":
            line = frame.f_lineno
            self.hits[line] = self.hits.get(line, 0) + 1
            self._go_on_in(line, now)
        elif event == "return":  # also when a generator yields, and when an exception leaves
            self._go_on_in(self._caller_of(frame), now)
        return self._on_line

    def _go_on_in(self, line: int, now: int) -> None:
        """Until `now` it was the line before; from the end of this call on it is `line`."""
        if self._line:
            self.time_ns[self._line] = self.time_ns.get(self._line, 0) + max(now - self._since, 0)
        self._line = line
        self._since = self._now()

    def _caller_of(self, frame: FrameType) -> int:
        """The line of the file that goes on when this frame is left; there may be libraries between."""
        caller = frame.f_back
        while caller is not None and caller.f_code.co_filename != self._path:
            caller = caller.f_back
        return caller.f_lineno or 0 if caller is not None else 0


class Meter(Protocol):
    """What counts between these two."""

    def start(self) -> None:
        """Count from now on."""

    def stop(self) -> None:
        """Count no more."""


class Metered:
    """The function, with a meter running only while it does; what it makes lazily is used up meanwhile."""

    def __init__(self, function: Callable[..., Any], meter: Meter) -> None:
        self._function, self._meter = function, meter
        self.items = 0  # that came out of the last call

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Make the call; what it returns is of no interest."""
        self._meter.start()
        self.items = 0
        try:
            self._use_up(self._function(*args, **kwargs))
        finally:
            self._meter.stop()

    def _use_up(self, result: Any) -> None:
        if type(result) in (list, tuple, dict, set, frozenset, str):
            self.items = len(result)
        elif hasattr(result, "__next__"):
            for _ in result:
                self.items += 1
        elif hasattr(result, "__await__") and hasattr(result, "send"):
            import asyncio  # noqa: PLC0415 - slow to import, and few functions need it

            asyncio.run(result)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)  # `cache_clear`


def _write_lines(meter: LineMeter, write: Write) -> None:
    costliest = sorted(meter.hits, key=lambda line: -meter.time_ns.get(line, 0))
    for line in costliest[:MAX_LINES]:
        time_s = meter.time_ns.get(line, 0) / 1e9
        write({"kind": "line", "line": line, "hits": meter.hits[line], "time_s": float(time_s)})
