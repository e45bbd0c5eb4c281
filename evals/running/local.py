"""Works on problems side by side in this process; each measurement leases a core for its own time alone."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError, CancelledError, Caps, ModelOptions, open_session
from afterburner.agent.errors import ProposerError
from afterburner.agent.events import EventKind
from afterburner.agent.progress_lines import line_of
from afterburner.evals.running.loops import InterruptedLoopError, LoopRunner
from afterburner.evals.running.model_check import is_server_gone
from afterburner.evals.running.progress import Step
from afterburner.evals.running.subjects import evaluate_subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from afterburner.agent import CancelToken, Session
    from afterburner.agent.events import ProgressEvent
    from afterburner.evals.running.folder import RunFolder
    from afterburner.evals.running.ledger import Ledger
    from afterburner.evals.running.subjects import Subject
    from afterburner.evals.tables import Row
    from afterburner.sandbox import Sandbox


@contextmanager
def evaluation_session(folder: RunFolder, caps: Caps, sandbox: Sandbox) -> Iterator[Session]:
    """The agent's session that an evaluation's loops share."""
    settings = folder.settings
    models = ModelOptions(model=settings.model, tell=settings.tell, timeout_s=settings.timeout_s)
    models = replace(models, keep_answers=True, must_answer=True)
    with open_session(
        sandbox=sandbox, models=models, caps=caps, store=folder.loops, session_id=folder.session_id
    ) as session:
        yield session


@dataclass(slots=True)
class LocalWork:
    """Works through problems in threads of this process."""

    ledger: Ledger
    session: Session
    cancel: CancelToken

    def carry_out(self, problems: Iterator[Subject], jobs: int) -> None:
        """Work through the problems, no more of them at once than `jobs`.

        Raises:
            CancelledError: it was cancelled; what is done is stored.
            EvaluationError: the folder cannot be written.
        """
        executor = ThreadPoolExecutor(jobs, thread_name_prefix="evaluation")
        try:
            running = {executor.submit(self._evaluate, each): each for each in islice(problems, jobs)}
            while running:
                done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
                self.cancel.raise_if_cancelled()
                for each in done:
                    self._take(running.pop(each), each)
                    running |= {executor.submit(self._evaluate, more): more for more in islice(problems, 1)}
        except BaseException:
            self.cancel.cancel()  # an interrupt, too: what runs ends at once, and what is done is stored
            raise
        finally:
            executor.shutdown(cancel_futures=True)

    def _evaluate(self, subject: Subject) -> Mapping[str, Sequence[Row]]:
        self.ledger.tell(Step.BEGUN, subject.id)

        def on_loop_event(event: ProgressEvent) -> None:
            is_waiting = event.kind is EventKind.WAITING_FOR_CORE
            self.ledger.tell(Step.WAITING if is_waiting else Step.LOOP, subject.id, line_of(event))

        loops = LoopRunner(self.session, self.ledger.folder, on_loop_event, self.cancel)
        return evaluate_subject(loops, subject, self._on_measured)

    def _on_measured(self, name: str, series: str, done: int, total: int) -> None:
        self.ledger.tell(Step.MEASURED, name, f"{series}: measured {done} of {total} runs")

    def _take(self, subject: Subject, finished: Future[Mapping[str, Sequence[Row]]]) -> None:
        """Store what was found. A problem that could not be evaluated is told, and left for the next time."""
        error = finished.exception()
        if error is None:
            self.ledger.keep(subject.id, finished.result())
        elif isinstance(error, CancelledError) or not isinstance(error, Exception):
            raise error
        elif isinstance(error, AfterburnerError):
            self.ledger.fail(subject.id, error)
            if not self.ledger.stopped and isinstance(error, InterruptedLoopError | ProposerError):
                self.ledger.stopped = is_server_gone(self.ledger.folder.settings.model, Caps())
        else:
            self.ledger.fail_unexpectedly(subject.id, error)
