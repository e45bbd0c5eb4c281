"""Which lines of the target's file run in a call, and from which to which: what guides the search for inputs."""

from __future__ import annotations

import base64
import collections
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve, unwrap
from .call_trial import Trier, limit_memory
from .import_hook import change_file
from .line_marks import LineMarks
from .line_profiler import Metered
from .stopwatch import Stopwatch
from .user_code import guarded

if TYPE_CHECKING:
    from types import FrameType, ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

MOST_COST_S = 0.005  # of the original's CPU time for an input that is looked at: it takes some twenty times as long
LIMIT_S = 0.3
SHARE = 0.3  # of a job's time


class BranchMeter:
    """Collects the steps from one line to the next that calls take, in one file."""

    def __init__(self, path: str) -> None:
        self.steps: Dict[Tuple[int, int], int] = collections.defaultdict(int)  # how often each was taken
        self._path = path

    def start(self) -> None:
        """From now on steps count, in this thread."""
        sys.settrace(self._on_call)

    def stop(self) -> None:
        """No step counts any more."""
        sys.settrace(None)

    def _on_call(self, frame: FrameType, _event: str, _argument: Any) -> Optional[Callable[..., Any]]:
        if frame.f_code.co_filename != self._path:
            return None
        before = frame.f_lineno

        def on_line(frame: FrameType, event: str, _argument: Any) -> Callable[..., Any]:
            nonlocal before
            if event == "line":
                self.steps[before, frame.f_lineno] += 1
                before = frame.f_lineno
            return on_line

        return on_line


class Guide:
    """Tells which calls take a step through the code that none took before. It looks at quick ones, for a while."""

    def __init__(self, module: ModuleType, function: Callable[..., Any], request: Request, write: Write) -> None:
        self._meter = BranchMeter(request["path"])
        self._trier = Trier(module, Metered(function, self._meter), request, write)
        self._left_s = SHARE * request["budget_s"]

    def leads_on(self, blob: bytes, cost_s: float = 0.0) -> bool:
        """Whether this call goes where none did; `cost_s` is the original's CPU time for it, if known."""
        if cost_s > MOST_COST_S or self._left_s <= 0:
            return False
        known, watch = len(self._meter.steps), Stopwatch()
        self._trier.cost(blob, LIMIT_S)
        self._left_s -= watch.spent_s()
        return len(self._meter.steps) > known


class NoMeter:
    """Counts nothing."""

    def start(self) -> None:
        """Nothing begins."""

    def stop(self) -> None:
        """Nothing ends."""


def find_unreached(request: Request, recorder: Recorder, write: Write) -> None:
    """Make the calls in `blobs` until each of these `ranges` of lines is reached.

    A call may take `most_s`, all of them `budget_s`. What a call reaches before it is stopped counts. Told is which
    ranges are `reached`, as they are, and in the end which calls are `unfinished`: stopped, or not begun.
    """
    marks = LineMarks(request["ranges"])
    change_file(request, marks.change)
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    marks.forget()
    limit_memory(request["memory_kib"])
    with recorder.removed(module):
        guarded(write, "run", lambda: _find_unreached(request, module, marks, write))


def _find_unreached(request: Request, module: ModuleType, marks: LineMarks, write: Write) -> None:
    target = resolve(module, request["qualname"]).function
    plain = unwrap(target)
    is_traced = plain is not None and marks.are_missing_in(plain.__code__)
    meter = BranchMeter(request["path"])
    function = Metered(target, meter if is_traced else NoMeter())
    trier = Trier(module, function, request, write)
    deadline_s, unfinished = time.monotonic() + request["budget_s"], []
    known: List[int] = []
    for number, blob in enumerate(request["blobs"]):
        left_s = deadline_s - time.monotonic()
        ended = trier.cost(base64.b64decode(blob), min(left_s, request["most_s"])) if left_s > 0 else None
        if ended is None:
            unfinished.append(number)
        for _, line in meter.steps:
            marks.note(line)
        reached = marks.reached()
        if len(reached) > len(known):
            known = reached
            write({"kind": "told", "body": {"reached": reached}})
        if len(reached) == len(request["ranges"]):
            break
    write({"kind": "told", "body": {"unfinished": unfinished}})
