"""Progress where nothing can be redrawn, as in a pipe or a log of CI: a line for each step, and none too long apart."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.sandbox.terminal.text import format_elapsed

if TYPE_CHECKING:
    from collections.abc import Iterator

SILENT_AT_MOST_S = 30.0
_JOIN_AT_MOST_S = 1.0  # a reader that has stopped reading must not hold up the end


class PlainLines:
    """Lines on stderr with the minutes since the first, in one write each, so that those of several threads do not mix.

    A reader that goes away ends the program, as it ends any in a pipe. If the
    disk of a log is full, only lines of progress are lost.
    """

    def __init__(self) -> None:
        self._started_s = self._told_s = time.monotonic()
        self._reminder = "still at work on: starting"

    def show(self, step: str, *, ongoing: bool = False) -> None:
        """Print what is being done, where it is `ongoing`, or was."""
        self.note(step, ongoing=ongoing)
        self._print(step)

    def note(self, step: str, *, ongoing: bool = False) -> None:
        """Take down a step that is told only if nothing else is for long."""
        self._reminder = f"still at work on: {step}" if ongoing else f"still at work; the last step: {step}"

    @contextmanager
    def never_silent(self, most_s: float = SILENT_AT_MOST_S) -> Iterator[None]:
        """While the block runs, say after each `most_s` seconds without a line that the work goes on."""
        ended = threading.Event()
        reminder = threading.Thread(target=self._remind, args=(ended, most_s), name="progress", daemon=True)
        reminder.start()
        try:
            yield
        finally:
            ended.set()
            reminder.join(_JOIN_AT_MOST_S)

    def _remind(self, ended: threading.Event, most_s: float) -> None:
        while not ended.wait(max(0.0, self._told_s + most_s - time.monotonic())):
            if time.monotonic() - self._told_s < most_s:
                continue
            try:
                self._print(self._reminder)
            except (OSError, ValueError):  # the reader is gone: the next step ends the program
                return

    def _print(self, line: str) -> None:
        self._told_s = time.monotonic()
        text = f"[{format_elapsed(self._told_s - self._started_s)}] {line}\n"
        try:
            descriptor = sys.stderr.fileno()
        except (OSError, ValueError):  # a stream that is no file
            sys.stderr.write(text)
            sys.stderr.flush()
            return
        try:  # past the buffer, which would keep what cannot be written, and fail with it again
            os.write(descriptor, text.encode(sys.stderr.encoding, "backslashreplace"))
        except BrokenPipeError:
            raise
        except OSError:
            return
