"""The alarm that ends a profile: a part of an endless workload has a profile, too."""

from __future__ import annotations

import contextlib
import signal
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


def has_rung() -> bool:
    """Whether the time is over; what fails after that does not fail by itself."""
    handler = signal.getsignal(signal.SIGALRM)
    return isinstance(handler, _Alarm) and handler.has_rung
