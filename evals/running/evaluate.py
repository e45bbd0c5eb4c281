"""The doorway to evaluations: begin one, or go on with it."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from afterburner.agent import CancelToken
from afterburner.agent.errors import ProposerError
from afterburner.agent.machine import describe_machine
from afterburner.agent.store.checkpoints import new_run_id
from afterburner.evals.files import claimed
from afterburner.evals.running.cluster import ClusterWork
from afterburner.evals.running.fingerprint import with_full_paths
from afterburner.evals.running.folder import RunFolder
from afterburner.evals.running.ledger import Ledger, Outcome
from afterburner.evals.running.local import LocalWork, evaluation_session
from afterburner.evals.running.model_check import caution_about, check_model, check_recordings
from afterburner.evals.running.progress import OnEvaluationEvent, Step, ignore_evaluation_event
from afterburner.evals.running.request_check import check_request
from afterburner.evals.running.settings import Executor, Resources
from afterburner.evals.running.subjects import count_subjects, expect_subjects, load_subjects
from afterburner.sandbox import open_sandbox
from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.installations import own_environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from afterburner.agent import Caps
    from afterburner.evals.running.settings import EvaluationSettings
    from afterburner.evals.running.subjects import Subject
    from afterburner.sandbox import Sandbox

_WAITING = 2  # problems beyond one for each core: while one waits for a model, another one is measured


def begin_evaluation(
    folder: Path, name: str, settings: EvaluationSettings, resources: Resources | None = None
) -> RunFolder:
    """Make the folder of a new evaluation, with this machine's description, and the caps, which hold for good.

    Raises:
        UsageError: the dataset cannot be used in this way, as `check_request` tells; or the model is a recording that
            would give several problems the same answers.
        DatasetError: there is none, or it cannot be read.
        EvaluationError: the folder is not empty, or cannot be written.
        ProposerError: the model cannot be asked, or its server is not there; what only a cluster knows is found there.
        SandboxUnavailableError: there is no sandbox here.
    """
    resources = resources or Resources()
    check_request(settings)
    if resources.executor is Executor.LOCAL:
        check_model(settings.model, resources.caps, awaits_server=True)
    check_recordings(settings)
    with open_sandbox(resources.sandbox) as opened:
        machine = _machine(opened)
    full = with_full_paths(settings)
    records = count_subjects(replace(full, only=(), limit=None))
    return RunFolder.create(
        folder, name, full, session_id=new_run_id(), machine=machine, caps=resources.caps, records=records
    )


def evaluate(
    folder: RunFolder,
    resources: Resources,
    *,
    on_event: OnEvaluationEvent = ignore_evaluation_event,
    cancel: CancelToken | None = None,
) -> Outcome:
    """Evaluate every problem that is not stored yet, and store each as it is done.

    Raises:
        DatasetError: the dataset cannot be read, no problem of it can be used, or none has an id that was asked for.
        CancelledError: it was cancelled; what is done is stored.
        EvaluationError: the folder cannot be written, another process works on it, or there is no such cluster.
        ProposerError: problems are left, and the model cannot be asked; what only a cluster knows is found there.
    """
    cancel, caps = cancel or CancelToken(), folder.caps_with(resources.caps)
    ledger = Ledger(folder, on_event, Outcome(folder.path))
    with claimed(folder.path), open_sandbox(resources.sandbox) as sandbox:
        folder.check(_machine(sandbox) if resources.executor is Executor.LOCAL else None)
        folder.clear_unfinished()
        folder.say_whether_complete(is_complete=False)
        ledger.note_stored()
        ledger.expected = expect_subjects(folder.settings)
        problems = ledger.unfinished(load_subjects(folder, lambda: sandbox))
        if resources.executor is Executor.RAY:
            ClusterWork(ledger, resources.sandbox, caps, cancel).carry_out(
                problems, resources.ray_address, resources.jobs
            )
        else:
            with evaluation_session(folder, caps, sandbox) as session:
                jobs = resources.jobs or len(divide_cores().slots) + _WAITING
                ledger.used = session.opened_models().usage
                LocalWork(ledger, session, cancel).carry_out(_checked(problems, ledger, caps), jobs)
        ledger.finish()
    return ledger.outcome


def _checked(problems: Iterator[Subject], ledger: Ledger, caps: Caps) -> Iterator[Subject]:
    """The same problems; before the first of them, it is known that the model can be asked."""
    model = ledger.folder.settings.model
    for number, each in enumerate(problems):
        if number == 0:
            check_model(model, caps)
            try:
                check_model(model, caps, awaits_server=True)
            except ProposerError as error:  # stored answers may be all that is needed
                ledger.tell(Step.CAUTION, each.id, f"{error} Only answers that are stored already can be used.")
            else:
                if caution := caution_about(model, caps):
                    ledger.tell(Step.CAUTION, each.id, caution)
        yield each


def _machine(sandbox: Sandbox) -> dict[str, Any]:
    return asdict(describe_machine(sandbox, sandbox.backend.python() or own_environment()))
