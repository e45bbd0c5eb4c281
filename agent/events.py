"""What a run tells while it works."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.agent.usage import NOTHING_USED, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

SEARCH_FRACTION = 0.7  # of the work, as of the time budget; the rest is the confirmation


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """A progress update. The fields from `run_id` on are filled in for whoever listens to a run."""

    stage: str  # prepare | generate | profile | select | confirm | compare | verify | wait
    message: str  # one line for a person: "1.3 rules: join-strings: 1.8x (1.7 to 1.9)"
    iteration: int = 0
    best_ratio: float | None = None  # of the incumbent over the original, as far as known
    spent: str = ""  # "3 requests, 4,210 tokens, $0.0031": what language models have cost so far
    candidate: str = ""  # "1.3": which one it is about; empty: none
    run_id: str = ""
    job: str = ""  # "/srv/shop.py::Stock.value"
    fraction: float = 0.0  # of the work that is done, from 0 to 1; it never falls
    requests: int = 0  # to language models so far, as the next two
    tokens: int = 0
    cost_usd: float = 0.0
    elapsed_s: float = 0.0  # since this process began or resumed the run


WAITING_FOR_CORE = ProgressEvent("wait", "another run times on the core: waiting for it")


@dataclass(slots=True)
class RunReporter:
    """Fills in what all events of a run have in common."""

    on_event: Callable[[ProgressEvent], None]
    run_id: str
    job: str
    iterations: int
    usage: Callable[[], Usage | None] = lambda: None
    _started_s: float = field(default_factory=time.monotonic)
    _fraction: float = 0.0
    _best: float | None = None

    def __call__(self, event: ProgressEvent) -> None:
        """Pass an event on."""
        used = self.usage() or NOTHING_USED
        self._fraction = max(self._fraction, self._done(event))
        self._best = event.best_ratio or self._best
        self.on_event(
            replace(
                event,
                run_id=self.run_id,
                job=self.job,
                best_ratio=self._best,
                fraction=self._fraction,
                requests=used.requests,
                tokens=used.prompt_tokens + used.completion_tokens,
                cost_usd=used.cost_usd,
                elapsed_s=time.monotonic() - self._started_s,
            )
        )

    def _done(self, event: ProgressEvent) -> float:
        if event.stage == "confirm":
            return SEARCH_FRACTION
        return SEARCH_FRACTION * max(event.iteration - 1, 0) / self.iterations
