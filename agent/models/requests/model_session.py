"""What all requests of one run share: the caps, the cache, the recording, and who is told."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage, ignore_event
from afterburner.agent.models.requests.answer_store import AnswerStore
from afterburner.agent.models.requests.recording import Recording
from afterburner.agent.models.requests.secrets import Scrubber
from afterburner.agent.models.requests.spending import Budget
from afterburner.agent.options import Caps
from afterburner.sandbox import CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.options import ModelOptions
    from afterburner.agent.usage import Usage


@dataclass(slots=True)
class _Opened:
    """What all runs of a session share, once it is needed."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    store: AnswerStore | None = None
    budget: Budget | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    engines: dict[str, Any] = field(default_factory=dict)  # in this process, by model: some take minutes to load


@dataclass(slots=True)
class ModelSession:
    """What the requests of one run, or of several that share the caps, have in common.

    Nothing is opened before a language model is: `rules` need none of it.
    """

    caps: Caps = field(default_factory=Caps)
    until: Deadline | None = None
    run_id: str = ""  # under which the ledger counts
    use_cache: bool = False  # whether stored answers are given
    open_store: Callable[[], AnswerStore] | None = None  # None: nothing is stored
    recording: Recording | None = None
    on_event: OnEvent = ignore_event
    scrub: Scrubber = field(default_factory=Scrubber)
    cancel: CancelToken = field(default_factory=CancelToken)
    _opened: _Opened = field(default_factory=_Opened)
    _budget: Budget | None = None

    def for_run(self, until: Deadline, on_event: OnEvent, cancel: CancelToken) -> ModelSession:
        """The same session for one run, with a time and a listener of its own, to be cancelled by itself."""
        return replace(self, until=until, on_event=on_event, cancel=cancel, _budget=None)

    @property
    def stopped(self) -> bool:
        """Whether nothing more may be begun: the session is closed, or the run cancelled."""
        return self._opened.stopped.is_set() or self.cancel.cancelled

    @property
    def engines(self) -> dict[str, Any]:
        """The engines that run in this process, by the name of the model."""
        return self._opened.engines

    @property
    def store(self) -> AnswerStore | None:
        """The cache and the ledger, opened when first needed."""
        with self._opened.lock:
            return self._open_store()

    @property
    def budget(self) -> Budget:
        """The caps, with what the ledger knows of the session, and this run's time."""
        if self._budget is None:
            with self._opened.lock:
                if self._opened.budget is None:
                    self._opened.budget = Budget(self.caps, self.until, self._open_store(), self.run_id)
                self._budget = self._opened.budget.for_run(self.until, self.cancel)
        return self._budget

    def usage(self) -> Usage | None:
        """What was used so far; None if no language model takes part."""
        return self.budget.usage() if self._opened.budget is not None else None

    def begin(self) -> None:
        """The models are there, and the first may be asked: from now on the recording is this session's.

        Raises:
            AfterburnerError: the recording cannot be written.
        """
        if self.recording is not None and self.usage() is not None:
            self.recording.begin()

    def report(self, kind: EventKind, model: str = "", *, detail: str = "", seconds: float | None = None) -> None:
        """Tell of something that happened, without secrets, with what was used so far."""
        event = ProgressEvent(
            kind=kind,
            stage=Stage.GENERATE,
            subject=self.scrub(model),
            detail=self.scrub(detail),
            seconds=seconds,
            usage=self.budget.usage(),
        )
        self.on_event(event)

    def close(self) -> None:
        """Begin nothing more, and close the store."""
        self._opened.stopped.set()
        if self._opened.store is not None:
            self._opened.store.close()

    def _open_store(self) -> AnswerStore | None:
        if self._opened.store is None and self.open_store is not None:
            self._opened.store = self.open_store()
        return self._opened.store


@contextmanager
def open_model_session(
    models: ModelOptions, caps: Caps, session_id: str, *, store: bool = True, resuming: bool = False
) -> Iterator[ModelSession]:
    """Open what requests share; `resuming` with the recording, which is this session's already.

    Args:
        models: whether the cache is used, and where answers are recorded.
        caps: for all requests together.
        session_id: under which the ledger counts what was used.
        store: whether answers and the ledger are kept on the disk.
        resuming: whether something was asked under this id before.
    """
    session = ModelSession(
        caps=caps,
        run_id=session_id,
        use_cache=models.cache and store,
        open_store=AnswerStore if store else None,
        recording=Recording(models.record, resuming=resuming) if models.record is not None else None,
    )
    try:
        yield session
    finally:
        session.close()
