"""What the requests of a run share, and what the runs of a session do: caps, answers, recordings, and who is told."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage, ignore_event
from afterburner.agent.models.requests.answer_store import FILE_NAME, AnswerStore
from afterburner.agent.models.requests.recording import Recording
from afterburner.agent.models.requests.secrets import Scrubber
from afterburner.agent.models.requests.shared_engine import SharedEngine
from afterburner.agent.models.requests.spending import Budget
from afterburner.agent.options import Caps
from afterburner.agent.usage import NOTHING_USED
from afterburner.sandbox import CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.options import ModelOptions
    from afterburner.agent.usage import Usage


@dataclass(slots=True)
class _Opened:
    """What all runs of a session share, once it is needed."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    store: AnswerStore | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    engines: dict[str, SharedEngine] = field(default_factory=dict)  # by model
    recordings: dict[Path, Recording] = field(default_factory=dict)


@dataclass(slots=True)
class ModelSession:
    """What the requests of one run have in common; or of a session, which `for_run` makes those of its runs from.

    Nothing is opened before a language model is: `rules` need none of it.
    """

    caps: Caps = field(default_factory=Caps)
    until: Deadline | None = None
    run_id: str = ""  # under which the ledger counts
    use_cache: bool = False  # whether stored answers of other runs are given
    open_store: Callable[[], AnswerStore] | None = None  # None: nothing is stored
    recording: Recording | None = None
    resuming: bool = False  # whether the recording holds earlier answers of the run
    used_before: Usage | None = None  # of the same caps, by others, when the run began; None: it begins now
    only_whole_answers: bool = False  # whether a cap may shorten none
    on_event: OnEvent = ignore_event
    scrub: Scrubber = field(default_factory=Scrubber)
    cancel: CancelToken = field(default_factory=CancelToken)
    _opened: _Opened = field(default_factory=_Opened)
    _parent: ModelSession | None = None
    _budget: Budget | None = None

    def for_run(
        self,
        run_id: str,
        models: ModelOptions,
        caps: Caps,
        *,
        until: Deadline,
        on_event: OnEvent,
        cancel: CancelToken,
        resuming: bool = False,
        used_before: Usage | None = None,
    ) -> ModelSession:
        """What the requests of one run share. It counts for this session, too, and the caps of both hold.

        Args:
            run_id: under which the ledger counts it, and where the cache is not used its answers are kept.
            models: whether the cache is used, and where answers are recorded.
            caps: for this run alone.
            until: when its time is up.
            on_event: is told of progress.
            cancel: ends its requests.
            resuming: whether a model may have been asked in it before.
            used_before: what others had used when it began, if it is resumed.
        """
        return replace(
            self,
            run_id=run_id,
            caps=caps,
            until=until,
            on_event=on_event,
            cancel=cancel,
            use_cache=models.cache and self.open_store is not None,
            recording=self._recording_of(models.record) if models.record is not None else None,
            resuming=resuming,
            used_before=used_before,
            only_whole_answers=models.must_answer,
            _parent=self,
            _budget=None,
        )

    @property
    def stopped(self) -> bool:
        """Whether nothing more may be begun: the session is closed, or the run cancelled."""
        return self._opened.stopped.is_set() or self.cancel.cancelled

    def engine_of(self, model: str) -> SharedEngine:
        """The engine of a model that runs in this process, one for all runs of the session."""
        with self._opened.lock:
            return self._opened.engines.setdefault(model, SharedEngine())

    @property
    def store(self) -> AnswerStore | None:
        """The cache and the ledger, opened when first needed."""
        with self._opened.lock:
            if self._opened.store is None and self.open_store is not None:
                self._opened.store = self.open_store()
            return self._opened.store

    @property
    def budget(self) -> Budget:
        """The caps, with what the ledger knows of the run, and the run's time."""
        with self._opened.lock:
            if self._budget is None:
                self._budget = Budget(
                    self.caps,
                    self.until,
                    self.store,
                    self.run_id,
                    parent=self._parent.budget if self._parent is not None else None,
                    used_before=self.used_before,
                    cancel=self.cancel,
                    only_whole=self.only_whole_answers,
                )
            return self._budget

    def usage(self) -> Usage | None:
        """What the run has used so far; None if no language model takes part."""
        return self._budget.usage() if self._budget is not None else None

    def used_by_others(self) -> Usage:
        """What others had used of the same caps when the run began."""
        return self._budget.used_before if self._budget is not None else NOTHING_USED

    def prolong(self, until: Deadline) -> None:
        """From now on requests may be made until then."""
        if self._budget is not None:
            self._budget.prolong(until)

    def begin(self) -> None:
        """The models are there, and the first may be asked: from now on the recording is this session's.

        Raises:
            AfterburnerError: the recording cannot be written.
        """
        if self.recording is not None and self._budget is not None:
            self.recording.begin(resuming=self.resuming)

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

    def _recording_of(self, path: str) -> Recording:
        """One for each file, whichever runs write it."""
        with self._opened.lock:
            return self._opened.recordings.setdefault(Path(path).absolute(), Recording(path))


@contextmanager
def open_model_session(caps: Caps, session_id: str, store: Path | Literal["user"] | None) -> Iterator[ModelSession]:
    """Open what the requests of a session's runs share.

    Args:
        caps: for all of them together.
        session_id: under which the ledger counts what they use, each beside its own id.
        store: the folder of the answers and of the ledger; `user`: the state folder; None: nothing is kept.
    """
    path = store / FILE_NAME if isinstance(store, Path) else None
    session = ModelSession(
        caps=caps, run_id=session_id, open_store=partial(AnswerStore, path) if store is not None else None
    )
    try:
        yield session
    finally:
        session.close()
