"""The latest event of a run, from the threads that tell of it to the loop that shows it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.events import ProgressEvent

LEAST_S = 0.2  # between two reports
_AGAIN_S = 5.0  # without an event


class LatestEvent:
    """Any thread puts an event, the loop takes what is to be reported.

    A stage may take a minute, and some clients give up on a request without a message. So the last report is repeated
    from time to time, with the seconds that have passed since.
    """

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self._held: tuple[ProgressEvent, float] | None = None  # the event, and when it happened
        self._reported: tuple[ProgressEvent, float] | None = None
        self._reported_s = 0.0

    def put(self, event: ProgressEvent) -> None:
        """Hold an event in place of an earlier one."""
        self._held = event, time.monotonic()

    def due(self) -> ProgressEvent | None:
        """What is to be reported now, if anything."""
        held, now_s = self._held, time.monotonic()
        if held is None or (held is self._reported and now_s - self._reported_s < _AGAIN_S):
            return None
        self._reported, self._reported_s = held, now_s
        event, happened_s = held
        return replace(event, elapsed_s=event.elapsed_s + now_s - happened_s)
