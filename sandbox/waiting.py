"""Waits for other threads in short turns.

Only the main thread handles signals, and one that the system delivers to another thread does not wake it. In an
unbounded wait, Ctrl-C would be handled too late.
"""

from __future__ import annotations

import math
import queue
import time
from concurrent.futures import wait
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

TURN_S = 0.5
Result = TypeVar("Result")


def result_of(future: Future[Result]) -> Result:
    """Return the result of another thread's work, or raise its error."""
    while not wait([future], timeout=TURN_S).done:
        continue
    return future.result()


def next_of(ended: queue.SimpleQueue[Result], most_s: float = math.inf) -> Result:
    """Return the next thing that another thread puts into a queue.

    Raises:
        queue.Empty: nothing came within `most_s` seconds.
    """
    until_s = time.monotonic() + most_s
    while True:
        left_s = max(until_s - time.monotonic(), 0.0)
        try:
            return ended.get(timeout=min(TURN_S, left_s))
        except queue.Empty:
            if left_s <= TURN_S:
                raise
