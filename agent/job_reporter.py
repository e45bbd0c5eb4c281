"""Fills in what all events of a job have in common, and times its steps."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.agent.events import EventKind, Stage
from afterburner.agent.stage_times import StageClock
from afterburner.agent.usage import NOTHING_USED

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.events import OnEvent, ProgressEvent
    from afterburner.agent.stage_times import StageTime
    from afterburner.agent.usage import Usage

SEARCH_FRACTION = 0.7  # of the work, as of the time budget; the rest is the confirmation
_PREPARED_FRACTION = 0.3  # of a comparison's work, when measuring begins


@dataclass(slots=True)
class JobReporter:
    """Fills in what all events of a job have in common.

    `iterations` are those of a search; None: there is one version alone, which is measured or searched at once.
    """

    on_event: OnEvent
    run_id: str
    job: str
    iterations: int | None = None
    usage: Callable[[], Usage | None] = lambda: None
    _clock: StageClock = field(init=False)
    _started_s: float = field(default_factory=time.monotonic)
    _fraction: float = 0.0
    _best: float | None = None

    def __post_init__(self) -> None:
        """Begin to time the steps."""
        self._clock = StageClock(self.job, self.run_id)

    def __call__(self, event: ProgressEvent) -> None:
        """Pass an event on."""
        self._clock.see(event)
        self._fraction = max(self._fraction, self._done(event))
        self._best = event.best_ratio or self._best
        self.on_event(
            replace(
                event,
                run_id=self.run_id,
                job=self.job,
                best_ratio=self._best,
                fraction=self._fraction,
                usage=self.usage() or NOTHING_USED,
                elapsed_s=time.monotonic() - self._started_s,
            )
        )

    def stages(self) -> tuple[StageTime, ...]:
        """End the last step, and return the time spent on each."""
        return self._clock.stop()

    def _done(self, event: ProgressEvent) -> float:
        if event.kind is EventKind.MEASURING_GROWTH:
            return 0.9
        measured = 0.0
        if event.kind is EventKind.BLOCKS_TAKEN and event.count and event.most:
            measured = event.count / event.most
        if self.iterations is None:
            is_measuring = measured or event.kind is EventKind.MEASURING_BOTH
            return _PREPARED_FRACTION + (0.9 - _PREPARED_FRACTION) * measured if is_measuring else 0.0
        if event.stage is Stage.CONFIRM:
            return SEARCH_FRACTION + (0.9 - SEARCH_FRACTION) * measured
        return SEARCH_FRACTION * max(event.iteration - 1, 0) / self.iterations
