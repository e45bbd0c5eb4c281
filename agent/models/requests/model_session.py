"""What all requests of one run share: the caps, the cache, the recording, and who is told."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.models.requests.secrets import Scrubber
from afterburner.agent.models.requests.spending import Budget
from afterburner.agent.options import Caps
from afterburner.agent.usage import Usage, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.events import ProgressEvent
    from afterburner.agent.models.requests.answer_store import AnswerStore
    from afterburner.agent.models.requests.recording import Recording
    from afterburner.agent.options import RunSettings


def _nobody(_message: str, _spent: str) -> None:
    pass


@dataclass(slots=True)
class ModelSession:
    """One run's asking. Nothing is opened before a language model is: `rules` need none of it."""

    caps: Caps = field(default_factory=Caps)
    until: Deadline | None = None
    run_id: str = ""
    use_cache: bool = False  # whether stored answers are given
    open_store: Callable[[], AnswerStore] | None = None  # None: nothing is stored
    recording: Recording | None = None
    on_message: Callable[[str, str], None] = _nobody  # a message, and what was used so far
    scrub: Scrubber = field(default_factory=Scrubber)
    stopped: threading.Event = field(default_factory=threading.Event)
    _store: AnswerStore | None = None
    _budget: Budget | None = None

    @property
    def store(self) -> AnswerStore | None:
        """The cache and the ledger, opened when first needed."""
        if self._store is None and self.open_store is not None:
            self._store = self.open_store()
        return self._store

    @property
    def budget(self) -> Budget:
        """The caps, with what the ledger knows of this run."""
        if self._budget is None:
            self._budget = Budget(self.caps, self.until, self.store, self.run_id)
        return self._budget

    def usage(self) -> Usage | None:
        """What was used so far; None if no language model takes part."""
        return self._budget.usage() if self._budget is not None else None

    def begin(self) -> None:
        """The models are there, and the first may be asked: from now on the recording is this run's.

        Raises:
            AfterburnerError: the recording cannot be written.
        """
        if self.recording is not None and self.usage() is not None:
            self.recording.begin()

    def tell(self, message: str) -> None:
        """Tell of something that happened, in one line, with what was used so far."""
        self.on_message(self.scrub(message), told(self.budget.usage()))

    def end_by(self, until: Deadline) -> None:
        """Begin no request after that."""
        self.until = until
        if self._budget is not None:
            self._budget.end_by(until)

    def close(self) -> None:
        """Begin nothing more, and close the store."""
        self.stopped.set()
        if self._store is not None:
            self._store.close()


@contextmanager
def open_model_session(
    settings: RunSettings,
    run_id: str,
    until: Deadline,
    on_event: Callable[[ProgressEvent], None],
    *,
    resuming: bool = False,
) -> Iterator[ModelSession]:
    """Open what the requests of a run share; `resuming` with the recording, which is this run's."""
    from afterburner.agent.events import ProgressEvent  # noqa: PLC0415 - likewise
    from afterburner.agent.models.requests.answer_store import AnswerStore  # noqa: PLC0415 - likewise
    from afterburner.agent.models.requests.recording import Recording  # noqa: PLC0415 - who asks no model needs none

    asking = ModelSession(
        caps=settings.caps,
        until=until,
        run_id=run_id,
        use_cache=settings.models.cache,
        open_store=AnswerStore,
        recording=Recording(settings.models.record, resuming=resuming) if settings.models.record is not None else None,
        on_message=lambda message, spent: on_event(ProgressEvent("generate", message, spent=spent)),
    )
    try:
        yield asking
    finally:
        asking.close()
