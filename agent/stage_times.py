"""How long a job was at each of its steps: the table of stages in `--json`, and the lane of steps in a trace."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from afterburner.agent.events import EventKind, Stage
from afterburner.sandbox.tracing import recorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.events import ProgressEvent

# Events that come during a step or at its end; they do not begin another.
_REMARKS = frozenset(
    {
        EventKind.AGREED,
        EventKind.ANSWERED,
        EventKind.ANSWERED_FROM_CACHE,
        EventKind.ASKING_ANOTHER,
        EventKind.BLOCKS_TAKEN,
        EventKind.CALLS_WRITTEN,
        EventKind.CHOSE_FUNCTION,
        EventKind.CONFIRMED,
        EventKind.DECIDED_ON_IDENTICAL,
        EventKind.FOUND_TARGET,
        EventKind.GIVEN_UP,
        EventKind.INPUTS_LEFT_OUT,
        EventKind.JUDGED,
        EventKind.KEPT,
        EventKind.LEARNED_NOISE,
        EventKind.LINE_PROFILE_MISSING,
        EventKind.LINE_PROFILE_PARTIAL,
        EventKind.OTHER_MACHINE,
        EventKind.RETRYING,
        EventKind.TRIED_KNOWN_GAIN,
    }
)


@dataclass(frozen=True, slots=True)
class StageTime:
    """How often a job was at a step of a stage, and for how long altogether: wall time, seconds."""

    stage: Stage
    step: EventKind
    times: int
    seconds: float


@dataclass(slots=True)
class StageClock:
    """Times the steps of a job by its events: each lasts until the next one begins."""

    job: str
    run_id: str
    now_s: Callable[[], float] = time.monotonic
    _times: dict[tuple[Stage, EventKind], StageTime] = field(default_factory=dict)
    _at: tuple[Stage, EventKind] | None = None
    _since_s: float = 0.0

    def see(self, event: ProgressEvent) -> None:
        """Take note of an event."""
        if event.kind in _REMARKS:
            return
        self._end()
        self._at, self._since_s = (event.stage, event.kind), self.now_s()
        trace = recorder()
        if trace is not None:
            told: dict[str, str | int] = {
                "iteration": event.iteration,
                "candidate": event.candidate,
                "count": event.count or 0,
            }
            facts = {name: value for name, value in told.items() if value}
            trace.begin_step(self._row, f"{event.stage}: {event.kind}", facts)

    def stop(self) -> tuple[StageTime, ...]:
        """End the last step, and give the table in the order in which the steps first came."""
        self._end()
        self._at = None
        trace = recorder()
        if trace is not None:
            trace.end_step(self._row)
        return tuple(self._times.values())

    @property
    def _row(self) -> str:
        """`shop.py::Stock.value 1f0c…`: the file's name alone, since a trace is shared."""
        path, separator, function = self.job.partition("::")
        return f"{PurePath(path).name}{separator}{function} {self.run_id}"

    def _end(self) -> None:
        if self._at is None:
            return
        known = self._times.get(self._at) or StageTime(*self._at, 0, 0.0)
        seconds = self.now_s() - self._since_s
        self._times[self._at] = replace(known, times=known.times + 1, seconds=known.seconds + seconds)
