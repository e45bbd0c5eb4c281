"""Ctrl-C, SIGTERM and a closed terminal end a run in the same way: unwind, clean up, exit code 130."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

INTERRUPTED = 130  # the exit code: 128 + SIGINT
CLEAN_UP_S = 10.0  # an impatient second signal may not cut the clean-up short before this
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SHOW_CURSOR = "\x1b[?25h"


def raise_on_signals() -> Callable[[], bool]:
    """From now on the first of the signals raises KeyboardInterrupt; later ones let the clean-up finish.

    Signals that our caller made us ignore (`nohup`, a shell's background job) stay ignored.

    Returns:
        A function that says whether a signal has come, for where KeyboardInterrupt was turned into another error.
    """
    interrupted_at: list[float] = []

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if not interrupted_at:
            interrupted_at.append(time.monotonic())
            raise KeyboardInterrupt
        if time.monotonic() - interrupted_at[0] > CLEAN_UP_S:
            show_cursor()
            os._exit(INTERRUPTED)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    return lambda: bool(interrupted_at)


def show_cursor() -> None:
    """Make the terminal's cursor visible again, in case an interrupt came while the display was being closed."""
    try:
        if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
            sys.stderr.write(_SHOW_CURSOR)
            sys.stderr.flush()
    except OSError:
        return  # the terminal itself is gone
