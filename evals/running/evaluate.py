"""The doorway to evaluations: begin one, or go on with it; problem by problem, side by side."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError, CancelledError, CancelToken, Caps, ModelOptions, open_session
from afterburner.agent.machine import describe_machine
from afterburner.agent.progress_lines import line_of
from afterburner.agent.store.checkpoints import new_run_id
from afterburner.agent.usage import NOTHING_USED, Usage
from afterburner.evals.datasets.registry import load_problems
from afterburner.evals.errors import EvaluationError
from afterburner.evals.problems import Rejected
from afterburner.evals.running.folder import RunFolder
from afterburner.evals.running.loops import CapReachedError, LoopRunner
from afterburner.evals.running.one_problem import ProblemEvaluator
from afterburner.evals.running.progress import EvaluationEvent, OnEvaluationEvent, Step, ignore_evaluation_event
from afterburner.evals.running.settings import EvaluationSettings, Executor
from afterburner.sandbox import open_sandbox
from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.installations import own_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from afterburner.agent import Session
    from afterburner.agent.events import ProgressEvent
    from afterburner.evals.problems import BenchmarkProblem, Loaded
    from afterburner.evals.tables import Row
    from afterburner.sandbox import Sandbox

_WAITING = 2  # problems beyond one for each core: while one waits for a model, another one is measured


@dataclass(frozen=True, slots=True)
class Resources:
    """What an evaluation may use; unlike its settings, this may change when it is resumed.

    Attributes:
        sandbox: as `open_sandbox` takes it.
        jobs: problems at a time; None: two more than there are cores for programs.
        caps: the most that models may use, over all processes that work on the evaluation.
    """

    sandbox: str = "auto"
    jobs: int | None = None
    caps: Caps = field(default_factory=Caps)
    executor: Executor = Executor.LOCAL
    ray_address: str = ""  # of a Ray cluster; empty: one is started on this machine


@dataclass(slots=True)
class Outcome:
    """What became of an evaluation: ids of problems, and why those that are left out are."""

    folder: Path
    done: list[str] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # our fault or a server's: eval resume tries them again

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do."""
        return not self.failed


def begin_evaluation(folder: Path, name: str, settings: EvaluationSettings, sandbox: str = "auto") -> RunFolder:
    """Make the folder of a new evaluation, with the description of this machine.

    Raises:
        EvaluationError: the folder is not empty, or cannot be written.
        SandboxUnavailableError: there is no sandbox here.
    """
    with open_sandbox(sandbox) as opened:
        machine = asdict(describe_machine(opened, opened.backend.python() or own_environment()))
    return RunFolder.create(folder, name, settings, new_run_id(), machine)


def evaluate(
    folder: RunFolder,
    resources: Resources,
    *,
    on_event: OnEvaluationEvent = ignore_evaluation_event,
    cancel: CancelToken | None = None,
) -> Outcome:
    """Evaluate every problem that is not stored yet, and store each as it is done.

    Raises:
        DatasetError: the dataset cannot be read.
        CancelledError: it was cancelled; what is done is stored.
        EvaluationError: the folder cannot be written, or another process works on it.
    """
    cancel = cancel or CancelToken()
    with (
        folder.claimed(),
        open_sandbox(resources.sandbox) as sandbox,
        evaluation_session(folder, resources.caps, sandbox) as session,
    ):
        work = _LocalWork(folder, session, cancel, on_event, Outcome(folder.path))
        problems = load(folder.settings, lambda: sandbox)
        return work.carry_out(problems, resources.jobs or len(divide_cores().slots) + _WAITING)


def load(settings: EvaluationSettings, sandbox: Callable[[], Sandbox]) -> Iterator[Loaded]:
    """The problems that the settings ask for.

    Raises:
        DatasetError: the dataset cannot be read.
    """
    return load_problems(
        settings.dataset,
        split=settings.split,
        configuration=settings.configuration,
        source=settings.source or None,
        sandbox=sandbox,
        limit=settings.limit,
        only=settings.only,
    )


@contextmanager
def evaluation_session(folder: RunFolder, caps: Caps, sandbox: Sandbox) -> Iterator[Session]:
    """The agent's session that an evaluation's loops share."""
    settings = folder.settings
    models = ModelOptions(model=settings.model, tell=settings.tell, timeout_s=settings.timeout_s, keep_answers=True)
    with open_session(
        sandbox=sandbox, models=models, caps=caps, store=folder.loops, session_id=folder.session_id
    ) as session:
        yield session


@dataclass(slots=True)
class _LocalWork:
    """Problems side by side in threads of this process; a core for each measurement is leased for its time alone."""

    folder: RunFolder
    session: Session
    cancel: CancelToken
    on_event: OnEvaluationEvent
    outcome: Outcome
    usage: Usage = NOTHING_USED
    stopped: bool = False  # a cap was reached, so no further problem is begun

    def carry_out(self, problems: Iterator[Loaded], jobs: int) -> Outcome:
        """Work through the problems, no more of them at once than `jobs`."""
        waiting = self._unfinished(problems)
        executor = ThreadPoolExecutor(jobs, thread_name_prefix="evaluation")
        try:
            running = {executor.submit(self._evaluate, each): each for each in islice(waiting, jobs)}
            while running:
                done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
                self.cancel.raise_if_cancelled()
                for each in done:
                    self._take(running.pop(each), each)
                    running |= {executor.submit(self._evaluate, more): more for more in islice(waiting, 1)}
        except BaseException:
            self.cancel.cancel()  # an interrupt, too: what runs ends at once, and what is done is stored
            raise
        finally:
            executor.shutdown(cancel_futures=True)
        return self.outcome

    def _unfinished(self, problems: Iterator[Loaded]) -> Iterator[BenchmarkProblem]:
        for each in problems:
            if self.stopped:
                return
            if isinstance(each, Rejected):
                self.outcome.rejected.append(each)
                self._tell(Step.REJECTED, each.place, each.line)
            elif self.folder.is_done(each.id):
                self.outcome.done.append(each.id)
            else:
                yield each

    def _evaluate(self, problem: BenchmarkProblem) -> Mapping[str, Sequence[Row]]:
        self._tell(Step.BEGUN, problem.id)

        def on_loop_event(event: ProgressEvent) -> None:
            self.usage = event.usage
            self._tell(Step.LOOP, problem.id, line_of(event))

        loops = LoopRunner(self.session, self.folder, on_loop_event, self.cancel)
        return ProblemEvaluator(loops, self._on_measured).evaluate(problem)

    def _on_measured(self, problem: BenchmarkProblem, done: int, total: int) -> None:
        self._tell(Step.MEASURED, problem.id, f"measured {done} of {total} runs")

    def _take(self, problem: BenchmarkProblem, finished: Future[Mapping[str, Sequence[Row]]]) -> None:
        """Store what was found. A problem that could not be evaluated is told, and left for the next time."""
        try:
            rows = finished.result()
        except CancelledError:
            raise
        except CapReachedError as error:
            self._fail(problem, str(error))
            self.stopped = True
        except EvaluationError as error:
            self._fail(problem, str(error))
        except AfterburnerError as error:
            self._fail(problem, f"{problem.id}: {error}")
        else:
            self.folder.keep(problem.id, rows)
            self.outcome.done.append(problem.id)
            self._tell(Step.DONE, problem.id, _found(rows))

    def _fail(self, problem: BenchmarkProblem, why: str) -> None:
        self.outcome.failed[problem.id] = why
        self._tell(Step.FAILED, problem.id, why)

    def _tell(self, step: Step, problem: str, detail: str = "") -> None:
        used = self.usage
        event = EvaluationEvent(step, problem, detail, len(self.outcome.done))
        self.on_event(replace(event, requests=used.requests, tokens=used.tokens, cost_usd=used.known_cost_usd))


def _found(rows: Mapping[str, Sequence[Row]]) -> str:
    """What came of a problem, in a line."""
    about = rows["problems"][0]
    if about["reason"]:
        return str(about["reason"])
    last = max(row["iteration"] for row in rows["best"])
    passed = sum(row["passed"] for row in rows["best"] if row["iteration"] == last)
    generations = 1 + max(row["generation"] for row in rows["best"])
    return f"{passed} of {generations} pass after {last} iterations, {about['elapsed_s']:.0f} s"
