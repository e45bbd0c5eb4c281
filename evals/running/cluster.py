"""Fans problems out over a Ray cluster: a task for each problem, which brings back rows and no files.

A worker evaluates a problem as this machine would: in its own sandbox, and each measurement on a core that it leases
from its machine. A worker that dies loses the problem it was at, and Ray gives that to another one. Where the run's
folder lies on a file system that the workers share, the next worker finds the loop's checkpoints and the answers of the
model there, and pays for nothing twice.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent import AfterburnerError, CancelledError, CancelToken, Caps
from afterburner.evals.errors import EvaluationError
from afterburner.evals.running.folder import RunFolder
from afterburner.evals.running.ledger import fails_for_all
from afterburner.evals.running.local import evaluation_session
from afterburner.evals.running.loops import LoopRunner
from afterburner.evals.running.progress import Step
from afterburner.evals.running.rows import used_by
from afterburner.evals.running.settings import EvaluationSettings
from afterburner.evals.running.subjects import evaluate_subject, subject_from_json, subject_to_json
from afterburner.sandbox import open_sandbox
from afterburner.sandbox.cores import divide_cores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.evals.running.ledger import Ledger
    from afterburner.evals.running.subjects import Subject

RETRIES = 3  # of a task whose worker was lost
_POLL_S = 1.0
_CAPS_NEED_SHARING = (
    "A worker does not see the folder of the run, {}, where the use of models is counted, so no cap could be kept. "
    "Give a folder on a file system that the workers share, or no caps."
)


@dataclass(slots=True)
class ClusterWork:
    """Works through problems on a cluster."""

    ledger: Ledger
    sandbox: str
    caps: Caps
    cancel: CancelToken

    def carry_out(self, problems: Iterator[Subject], address: str, jobs: int | None) -> None:
        """Work through the problems, no more of them at once than the cluster has CPUs, or `jobs`.

        Raises:
            CancelledError: it was cancelled; what is done is stored.
            EvaluationError: there is no such cluster, or the folder cannot be written.
        """
        import ray  # noqa: PLC0415 - heavy, and an extra

        began_one = not ray.is_initialized()
        self._join(ray, address)
        task = ray.remote(num_cpus=1, max_retries=RETRIES)(evaluate_remotely)
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        most = jobs or max(1, int(resources.get("CPU", 1)))
        running: dict[Any, str] = {}
        try:
            self._submit(task, problems, most, running)
            while running:
                done, _ = ray.wait(list(running), timeout=_POLL_S)
                self.cancel.raise_if_cancelled()
                for each in done:
                    self._take(ray, running.pop(each), each)
                    self._submit(task, problems, 1, running)
        finally:
            for each in running:
                ray.cancel(each, force=True)
            if began_one:
                ray.shutdown()

    def _join(self, ray: Any, address: str) -> None:
        """Join the cluster, or start one here with a CPU for each core that programs may run on."""
        if ray.is_initialized():
            return
        here = {} if address else {"num_cpus": len(divide_cores().slots), "include_dashboard": False}
        try:
            ray.init(address=address or None, log_to_driver=False, logging_level="error", **here)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise EvaluationError(
                f"The Ray cluster {address or 'of this machine'} cannot be joined: {error}. Start it with ray start "
                "--head, or leave --ray-address out."
            ) from error

    def _submit(self, task: Any, problems: Iterator[Subject], most: int, running: dict[Any, str]) -> None:
        folder = self.ledger.folder
        for each in islice(problems, most):
            order = {
                "subject": subject_to_json(each),
                "settings": folder.settings.to_document(),
                "folder": str(folder.path.resolve()),
                "name": folder.name,
                "session_id": folder.session_id,
                "sandbox": self.sandbox,
                "caps": asdict(self.caps),
            }
            running[task.remote(order)] = each.id
            self.ledger.tell(Step.BEGUN, each.id)

    def _take(self, ray: Any, problem_id: str, finished: Any) -> None:
        try:
            found = ray.get(finished)
        except ray.exceptions.RayTaskError as error:
            self.ledger.fail_unexpectedly(problem_id, error.cause)
            return
        except ray.exceptions.RayError:
            self.ledger.fail(problem_id, EvaluationError(f"{RETRIES + 1} workers died of it, one after the other."))
            return
        if "rows" in found:
            self.ledger.usages[problem_id] = used_by(found["rows"].get("candidates", ()))
            self.ledger.keep(problem_id, found["rows"])
        else:
            self.ledger.fail(problem_id, EvaluationError(found["error"]))
            self.ledger.stopped |= found["fails_for_all"]


def _is_shared(path: Path, session_id: str) -> bool:
    """Whether this machine sees the folder of the run itself, and not another one of the same path."""
    try:
        return RunFolder.open(path).session_id == session_id
    except EvaluationError:
        return False


def evaluate_remotely(order: dict[str, Any]) -> dict[str, Any]:
    """Evaluate one problem on a worker of the cluster.

    Returns:
        `rows` by table; or `error`, where the problem could not be evaluated, with `fails_for_all`. Caps hold over all
        workers, so without the run's folder, which counts the use of models, a capped run is refused.
    """
    subject = subject_from_json(order["subject"])
    settings = EvaluationSettings.from_document(order["settings"])
    with tempfile.TemporaryDirectory(prefix="afterburner-evaluation-") as own:
        path = Path(order["folder"])
        is_shared = _is_shared(path, order["session_id"])
        if not is_shared and any(cap is not None for cap in order["caps"].values()):
            return {"error": _CAPS_NEED_SHARING.format(path), "fails_for_all": True}
        folder = RunFolder(path if is_shared else Path(own), order["name"], settings, order["session_id"])
        try:
            with (
                open_sandbox(order["sandbox"]) as sandbox,
                evaluation_session(folder, Caps(**order["caps"]), sandbox) as session,
            ):
                loops = LoopRunner(session, folder, lambda _: None, CancelToken())
                return {"rows": evaluate_subject(loops, subject)}
        except CancelledError:
            raise
        except AfterburnerError as error:
            return {"error": str(error), "fails_for_all": fails_for_all(error)}
