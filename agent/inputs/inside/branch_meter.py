"""Which lines of the target's file run in a call, and from which to which: what guides the search for inputs."""

from __future__ import annotations

import base64
import importlib
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Set, Tuple

from ....sandbox.driver.user_module import resolve
from .call_trial import Trier, limit_memory
from .line_profiler import Metered
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
        self.steps: Set[Tuple[int, int]] = set()
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
                self.steps.add((before, frame.f_lineno))
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
        known, started_s = len(self._meter.steps), time.monotonic()
        self._trier.cost(blob, LIMIT_S)
        self._left_s -= time.monotonic() - started_s
        return len(self._meter.steps) > known


def find_unreached(request: Request, recorder: Recorder, write: Write) -> None:
    """Write the numbers of those `ranges` of lines that none of the calls in `blobs` reaches.

    A call may take `most_s`, all of them `budget_s`; `looked_at_all` tells whether none was cut short or left out.
    """
    module = guarded(write, "import", lambda: importlib.import_module(request["module"]))
    if module is None:
        return
    limit_memory(request["memory_kib"])
    with recorder.removed(module):
        guarded(write, "run", lambda: _find_unreached(request, module, write))


def _find_unreached(request: Request, module: ModuleType, write: Write) -> None:
    meter = BranchMeter(request["path"])
    trier = Trier(module, Metered(resolve(module, request["qualname"]).function, meter), request, write)
    deadline_s, looked_at_all = time.monotonic() + request["budget_s"], True
    unreached = _outside(request["ranges"], meter)
    for blob in request["blobs"]:
        if not unreached:
            break
        left_s = deadline_s - time.monotonic()
        ended = trier.cost(base64.b64decode(blob), min(left_s, request["most_s"])) if left_s > 0 else None
        looked_at_all = looked_at_all and ended is not None
        unreached = _outside(unreached, meter)
    numbers = [number for number, lines in enumerate(request["ranges"]) if lines in unreached]
    write({"kind": "told", "body": {"unreached": numbers, "looked_at_all": looked_at_all}})


def _outside(ranges: Sequence[Sequence[int]], meter: BranchMeter) -> List[Sequence[int]]:
    """The ranges without a line that ran."""
    reached = {line for _, line in meter.steps}
    return [lines for lines in ranges if reached.isdisjoint(range(lines[0], lines[1] + 1))]
