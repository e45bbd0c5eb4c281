"""A session runs many jobs for the command line, an editor, a pull request or a Python caller.

For example:

    with open_session(model="rules") as session:
        result = session.optimize(Job.from_file("shop.py", function="Stock.value"), Search(iterations=2))
"""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from afterburner.agent.deadline import BudgetClock
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, ignore_event
from afterburner.agent.inputs.profiled_command import python_command
from afterburner.agent.inputs.rank import RankedTarget, rank
from afterburner.agent.inputs.survey import project_of, take_survey
from afterburner.agent.job.arguments import expect, expect_function
from afterburner.agent.job.project_settings import ProjectOptions, read_project_options
from afterburner.agent.job.trust import RUNS_CODE, Trust, TrustAnswers, TrustQuestion, TrustRequest, trust_caller
from afterburner.agent.job_reporter import JobReporter
from afterburner.agent.judge.verify import Verification, verify_jobs
from afterburner.agent.models.requests.model_session import ModelSession, open_model_session
from afterburner.agent.option_kinds import EnvironmentKind
from afterburner.agent.options import VERIFY_S, Caps, ModelOptions, Proof, RunSettings, Search, settings_of
from afterburner.agent.session.active_jobs import ActiveJobs
from afterburner.agent.session.call_checks import check_call, check_files, check_job, check_session
from afterburner.agent.session.compare import compare_jobs
from afterburner.agent.session.one_run import begin_run, resume_run
from afterburner.agent.session.shared_sandbox import SessionSandboxes
from afterburner.agent.session.store_folder import StoreFolder
from afterburner.agent.store.checkpoints import new_run_id
from afterburner.agent.store.table import IMPROVEMENTS, improvements_in, open_runs
from afterburner.sandbox import CancelToken, Sandbox, UsageError
from afterburner.sandbox.cores import Cores, divide_cores, usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.job.job import Job
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import InputOptions
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.agent.store.stored_run import Output
    from afterburner.agent.store.table import RunTable
    from afterburner.agent.types import Target
    from afterburner.agent.usage import Usage
    from afterburner.sandbox.shared_cpus import CpuShare

SURVEY_S = 60.0


class Session:
    """The sandbox, the store and the capped models that jobs share. Any thread may use it. See `open_session`."""

    def __init__(
        self,
        stack: ExitStack,
        *,
        sandbox: str | Sandbox,
        models: ModelOptions,
        caps: Caps,
        proof: Proof,
        store: Path | Literal["user"] | None,
        trust: Trust,
        cores: Collection[int] | None,
        session_id: str,
    ) -> None:
        if cores is not None and not (cores and usable_cpus().issuperset(cores)):
            raise UsageError(f"cores={sorted(cores)}: give some of {sorted(usable_cpus())}, the CPUs that we may use.")
        self.cpus = cores
        self._stack = stack
        self._sandboxes = SessionSandboxes(sandbox)
        stack.callback(self._sandboxes.close)
        self._models = models
        self._caps = caps
        self._proof = proof
        self._store = store
        self._answers = TrustAnswers(trust)
        self._id = session_id
        self._lock = threading.RLock()
        self._model_session: ModelSession | None = None
        self.folder = StoreFolder(store, stack)
        self._jobs = ActiveJobs()

    def optimize(
        self,
        job: Job,
        search: Search | None = None,
        *,
        proof: Proof | None = None,
        caps: Caps | None = None,
        on_event: OnEvent | None = None,
        cancel: CancelToken | None = None,
        outputs: Mapping[str, Output] | None = None,
        on_begun: Callable[[str], None] = lambda _: None,
    ) -> RunResult:
        """Optimise one target, and prove the gain. Nothing of the project is written.

        With `Search(selection="paper")` the loop is Algorithm 1 of the paper: greedy on single measurements, and
        nothing is proved or offered. On a problem it may begin with nothing, with a failing program, with a slow or a
        fast one; one case is enough.

        Args:
            job: the target.
            search: objective, rounds, time, selection.
            proof: the tests that a gain must pass, and the evidence to gather; None: the session's.
            caps: the most that models may use for this run, however often it is resumed, within those of the session;
                None: the session's.
            on_event: receives progress events; several threads call it while a language model is asked.
            cancel: ends the run from another thread; what was found can be resumed, or thrown away with `discard`.
            outputs: what the caller will write; stored, so that a resumed run can write it.
            on_begun: receives the run's id as soon as the run can be resumed.

        Raises:
            CancelledError: it was cancelled.
            NotTrustedError: the trust hook said no.
            AfterburnerError: another of the tree in `afterburner.sandbox.errors` and `afterburner.agent.errors`.
        """
        check_job(job, search, proof, on_event, cancel)
        if job.revision:
            raise UsageError(
                f"{job.path} at {job.revision}: revisions are for compare. Give Job.from_file(…) or Job.from_text(…)."
            )
        settings = RunSettings(
            job.path,
            job.function,
            job.inputs,
            search or Search(),
            proof or self._proof,
            self._models,
            caps or self._caps,
            job.batch,
            job.unsaved,
            job.problem.to_json() if job.problem is not None else "",
        )
        with self.lend(cancel) as loan, self.runs() as runs:
            return begin_run(
                runs, new_run_id(), settings, loan, on_event or ignore_event, outputs=outputs, on_begun=on_begun
            )

    def resume(self, name: str, *, on_event: OnEvent | None = None, cancel: CancelToken | None = None) -> RunResult:
        """Resume an interrupted or cancelled run of the store, or return the result of a finished run.

        The run keeps its original models and caps; the caps of the session apply as well.

        Raises:
            RunNotFoundError: there is no such run.
            RunInUseError: another process works on it.
            TargetChangedError: the file, or the interpreter, is not what it was.
            AfterburnerError: as `optimize`.
        """
        expect("name", name, str, "the id of a run, or latest")
        check_call(on_event, cancel)
        with self.lend(cancel) as loan, self.runs() as runs:
            return resume_run(runs, name, loan, on_event or ignore_event)

    def discard(self, name: str) -> None:
        """Delete a stored run.

        Raises:
            RunNotFoundError: there is no such run.
            RunInUseError: another process works on it.
        """
        with self.runs() as runs:
            found = runs.find(name, suggests=False)  # the wrong one would be deleted
            with runs.claimed(found.run_id):
                runs.forget(found.run_id)

    def improvements(self, path: str | Path, *, most: int = IMPROVEMENTS) -> Iterator[RunResult]:
        """Look up the proven rewrites of a file's functions in the store, newest first, at most three of a function.

        This starts nothing, makes no store, and does not look at the file: compare its text with `target.source` and
        `best_source`. Damaged results, and those of other versions of this program, are left out.

        Args:
            path: the file.
            most: how many at most.

        Raises:
            RunStoreError: the store cannot be read, or a newer version of this program has written it.
        """
        expect("path", path, str | Path, "the path of a file")
        if not self.folder.is_there:
            return iter(())
        return improvements_in(self.folder.of_runs(), str(path), most)

    def verify(
        self,
        job: Job,
        other: Job,
        search: Search | None = None,
        *,
        writes_test: bool = False,
        on_event: OnEvent | None = None,
        cancel: CancelToken | None = None,
    ) -> Verification:
        """Search for an input on which two functions of the same name, in two files, behave differently.

        Args:
            job: the original, whose inputs count.
            other: the other whole file, which runs in place of the first one.
            search: its seed and time budget count; None: a minute.
            writes_test: whether a counterexample comes with a test for pytest.
            on_event: receives progress events.
            cancel: ends it from another thread.

        Raises:
            CancelledError: it was cancelled.
            NotTrustedError: the trust hook said no.
            AfterburnerError: as `optimize`.
        """
        check_job(job, search, None, on_event, cancel)
        check_job(other)
        check_files(job, other)
        reporter = JobReporter(on_event or ignore_event, new_run_id(), job.name)
        search = search or Search(max_seconds=VERIFY_S)
        with self.lend(cancel) as loan, loan.sandbox(job.inputs, fresh=search.fresh) as sandbox:
            verification = verify_jobs(
                job,
                other,
                search,
                writes_test=writes_test,
                sandbox=sandbox,
                on_event=reporter,
                allow=loan.allow,
            )
        return replace(verification, stages=reporter.stages())

    def compare(
        self,
        before: Job,
        after: Job,
        search: Search | None = None,
        *,
        proof: Proof | None = None,
        on_event: OnEvent | None = None,
        cancel: CancelToken | None = None,
    ) -> ComparisonResult:
        """Compare two versions of a function or a program: does AFTER behave like BEFORE, is it faster or slower?

        Args:
            before: the version whose inputs count; `Job.from_revision` takes it from git.
            after: the other one, of the same function. It runs in its own tree if that is another revision, or another
                project with a file of the same name, or holds other unsaved files; otherwise in the place of BEFORE.
            search: its objective, seed and time budget count.
            proof: the minimum effect, and the evidence; None: the session's.
            on_event: receives progress events.
            cancel: ends it from another thread.

        Raises:
            CancelledError: it was cancelled.
            NotTrustedError: the trust hook said no.
            AfterburnerError: as `optimize`.
        """
        check_job(before, search, proof, on_event, cancel)
        check_job(after)
        check_files(before, after)
        reporter = JobReporter(on_event or ignore_event, new_run_id(), before.name)
        search = search or Search()
        with self.lend(cancel) as loan, loan.sandbox(before.inputs, fresh=search.fresh) as sandbox:
            comparison = compare_jobs(
                before,
                after,
                search,
                proof or self._proof,
                sandbox=sandbox,
                on_event=reporter,
                cores=loan.cores(),
                allow=loan.allow,
            )
        return replace(comparison, stages=reporter.stages())

    def survey(
        self,
        place: str | Path,
        command: tuple[str, ...] = (),
        *,
        python: str | None = None,
        environment: EnvironmentKind = EnvironmentKind.AUTO,
        environment_from: str | None = None,
        limit_s: float = SURVEY_S,
        on_event: OnEvent | None = None,
        cancel: CancelToken | None = None,
    ) -> list[RankedTarget]:
        """Rank the functions of a folder by what a rewrite of them could save.

        Args:
            place: a folder or a file.
            command: `python SCRIPT.py …`, which is profiled; without it the project's tests are.
            python: the interpreter that runs the code; None: the project's.
            environment: see `InputOptions`.
            environment_from: likewise.
            limit_s: how long to profile, seconds; the ranking then uses the profile so far.
            on_event: receives progress events.
            cancel: ends it from another thread.

        Raises:
            WorkloadError: nothing ran, or nothing of the folder did.
            AfterburnerError: as `optimize`.
        """
        expect("python", python, str, "the path or the name of an interpreter", optional=True)
        check_call(on_event, cancel)
        words = python_command(command)
        settings = settings_of(str(place), python=python, environment=environment, environment_from=environment_from)
        batch = replace(settings.batch, command=words, command_folder=str(Path.cwd()) if words else "")
        settings = replace(settings, batch=batch, models=self._models)
        with self.lend(cancel) as loan, loan.sandbox(settings.inputs) as sandbox:
            loan.allow_folder(project_of(Path(place)))
            report = JobReporter(on_event or ignore_event, new_run_id(), str(place))
            report(ProgressEvent(kind=EventKind.PROFILING_PROJECT, subject=" ".join(words)))
            return rank(take_survey(sandbox, Path(place), settings, limit_s, report))

    def project_options(
        self,
        place: str | Path,
        *,
        given: Mapping[str, Any] | None = None,
        given_by: str = "the caller's settings",
        doubtful: Collection[str] = (),
        cancel: CancelToken | None = None,
    ) -> ProjectOptions:
        """Read the settings that the pyproject.toml of a file's project, or of a folder's, asks for.

        Whoever decides about trust is asked if it chooses a model, a file, a program or modules.

        Args:
            place: the file or the folder.
            given: settings by the same names that come before those of the project, such as an editor's.
            given_by: who they are from, for messages.
            doubtful: which of them the project itself may have set, through a file of the editor's in it. Whoever
                decides about trust is asked about these, too.
            cancel: ends it from another thread.

        Raises:
            SettingsError: the file cannot be read, or one of both sets what is no setting, or a wrong value.
            CancelledError: it was cancelled.
        """
        with self._jobs.job(cancel) as token:
            allows = partial(self._answers.allows, cancel=token)
            return read_project_options(Path(place), allows, given or {}, given_by, doubtful)

    @contextmanager
    def lend(self, cancel: CancelToken | None = None) -> Iterator[Loan]:
        """Lend one job the session's resources while the block runs. Closing the session cancels the job.

        Raises:
            CancelledError: it was cancelled.
            UsageError: the session is closed.
        """
        with self._jobs.job(cancel) as token:
            yield Loan(self, token)

    def end_jobs(self) -> None:
        """Cancel all jobs, wait until those of other threads have stopped, and take no more."""
        self._jobs.close()

    @contextmanager
    def runs(self) -> Iterator[RunTable]:
        """Open the store; without one, a temporary folder that is deleted with the session."""
        with open_runs(self.folder.of_runs()) as runs:
            yield runs

    def opened_sandbox(self, inputs: InputOptions, cancel: CancelToken) -> Sandbox:
        """Return the session's sandbox, and open it on first use; for an image, Docker's where the choice is free."""
        return self._sandboxes.get(cancel, wants_image=inputs.wants_image)

    def opened_models(self) -> ModelSession:
        """Return the model session that all requests share, and open it on first use."""
        with self._lock:
            if self._model_session is None:
                self._model_session = self._stack.enter_context(open_model_session(self._caps, self._id, self._store))
            return self._model_session

    def allow_code_of(self, root: str, cancel: CancelToken) -> None:
        """Ask whether code of a project may run, once for each project.

        Raises:
            NotTrustedError: the answer was no.
        """
        self._answers.require(TrustRequest(TrustQuestion.RUN_CODE, root, RUNS_CODE.format(root=root)), cancel)


@dataclass(frozen=True, slots=True)
class Loan:
    """What a session lends to one run; see `running.Lender`."""

    session: Session
    cancel: CancelToken = field(default_factory=CancelToken)
    batch: ModelSession | None = None  # of the run over many targets that the run is part of
    share: CpuShare | None = None  # what it has of the CPUs, if others of that run go on at the same time
    budget: BudgetClock = field(default_factory=BudgetClock)

    def model_session(
        self,
        run_id: str,
        settings: RunSettings,
        until: Deadline,
        on_event: OnEvent,
        *,
        resuming: bool,
        used_before: Usage | None = None,
    ) -> ModelSession:
        """What the requests of the run share, under its own caps and those of the session."""
        return (self.batch or self.session.opened_models()).for_run(
            run_id,
            settings.models,
            settings.caps,
            until=until,
            on_event=on_event,
            cancel=self.cancel,
            resuming=resuming,
            used_before=used_before,
        )

    @contextmanager
    def sandbox(self, inputs: InputOptions, *, fresh: bool = False) -> Iterator[Sandbox]:
        """A branch of the session's sandbox, which is stopped when the run is cancelled."""
        opened, known_in = self.session.opened_sandbox(inputs, self.cancel), self.session.folder.of_known_runs()
        with opened.branch(known_in) as branch, self.cancel.on_cancel(branch.stop):
            if fresh and branch.known is not None:
                branch.known.renew()
            branch.share = self.share
            yield branch

    def follows_caller(self, inputs: InputOptions) -> bool:
        """Whether programs of the sandbox keep to the CPUs of the thread that runs them."""
        return self.session.opened_sandbox(inputs, self.cancel).follows_caller

    def cores(self) -> Cores:
        """The cores that samples may be timed on."""
        return divide_cores(self.session.cpus) if self.share is None else self.share.shared.cores

    def allow(self, target: Target) -> None:
        """Ask whether code of the target's project may run."""
        self.session.allow_code_of(target.project_root, self.cancel)

    def allow_folder(self, project: Path) -> None:
        """Ask whether code of a project may run, before a function of it is chosen."""
        self.session.allow_code_of(str(project), self.cancel)


@contextmanager
def open_session(
    *,
    sandbox: str | Sandbox = "auto",
    model: str = "rules",
    models: ModelOptions | None = None,
    caps: Caps | None = None,
    proof: Proof | None = None,
    store: Path | Literal["user"] | None = "user",
    trust: Trust = trust_caller,
    cores: Collection[int] | None = None,
    session_id: str = "",
) -> Iterator[Session]:
    """Open a session for many jobs. It starts each resource when a job first needs it, and closes all with the block.

    At the end of the block, the session cancels jobs that still run in other threads.

    Args:
        sandbox: one that is open already, or what `open_sandbox` takes.
        model: `rules`, `replay:<file.jsonl>`, `vllm:<path>`, a LiteLLM model string, or several with commas.
        models: how models are asked, and what they are told; its `model` wins over the one above.
        caps: the most that models may use, for all jobs together.
        proof: what a gain has to stand, and which evidence is gathered.
        store: a folder for runs, their checkpoints, the answers of models and what is known of originals; `user`: the
            user's own; None: nothing is kept.
        trust: decides, once for each project, whether anything of it may run.
        cores: the CPUs that samples may be timed on, by their numbers; None: all that a job's thread may use.
        session_id: the id under which the use of models by all runs is counted; empty: a new one.

    Raises:
        UsageError: an argument is of the wrong type, or cannot be used.
    """
    check_session(sandbox, models, caps, proof, store)
    expect_function("trust", trust, "which takes a TrustRequest and returns True or False", optional=False)
    with ExitStack() as stack:
        session = Session(
            stack,
            sandbox=sandbox,
            models=models or ModelOptions(model=model),
            caps=caps or Caps(),
            proof=proof or Proof(),
            store=store,
            trust=trust,
            cores=cores,
            session_id=session_id or new_run_id(),
        )
        try:
            yield session
        finally:
            session.end_jobs()
