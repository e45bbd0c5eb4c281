"""Alarms: one ends a profile, since a part of an endless workload has a profile, too; one ends a single call."""

from __future__ import annotations

import contextlib
import signal
import time
from typing import Iterator

from .harness_types import Interrupted

TIME_OVER = "the time for profiling was over"
PROFILED_SHARE = 0.8  # of the time limit
REPEATED_S = 0.5  # after it the alarm rings again, in case that user code caught the first one


class _Alarm:
    """The handler of the signal."""

    def __init__(self) -> None:
        self.has_rung = False

    def __call__(self, _number: int, _frame: object) -> None:
        """Interrupt whatever runs."""
        self.has_rung = True
        raise Interrupted(TIME_OVER)


@contextlib.contextmanager
def limited_time(limit_s: float) -> Iterator[None]:
    """Inside, a job is interrupted when the time is over."""
    signal.signal(signal.SIGALRM, _Alarm())
    signal.setitimer(signal.ITIMER_REAL, limit_s, REPEATED_S)
    try:
        yield
    except Interrupted:
        signal.setitimer(
            signal.ITIMER_REAL, 0
        )  # before the data in the exception's frames is freed: that may take long
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def interrupted_after(limit_s: float) -> Iterator[None]:
    """Raise `Interrupted` in the block after so much wall time, again and again: a bare `except` may catch it.

    An alarm that was set before rings after the block.
    """
    began_s = time.monotonic()
    before = signal.signal(signal.SIGALRM, _interrupt)
    left_s, interval_s = signal.setitimer(signal.ITIMER_REAL, limit_s, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if left_s:
            signal.signal(signal.SIGALRM, before)
            signal.setitimer(signal.ITIMER_REAL, max(left_s - (time.monotonic() - began_s), 0.001), interval_s)


def _interrupt(_number: int, _frame: object) -> None:
    raise Interrupted("it took too long")


def has_rung() -> bool:
    """Whether the time is over; what fails after that does not fail by itself."""
    handler = signal.getsignal(signal.SIGALRM)
    return isinstance(handler, _Alarm) and handler.has_rung
