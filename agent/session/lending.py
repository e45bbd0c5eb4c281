"""What a session lends to a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from afterburner.agent.deadline import BudgetClock, Deadline
    from afterburner.agent.events import ProgressEvent
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.agent.options import InputOptions, RunSettings
    from afterburner.agent.types import Target
    from afterburner.agent.usage import Usage
    from afterburner.sandbox import CancelToken
    from afterburner.sandbox.cores import Cores
    from afterburner.sandbox.sandbox import Sandbox
    from afterburner.sandbox.shared_cpus import CpuShare


class Lender(Protocol):
    """What a session lends to its runs; nothing is opened before it is needed."""

    @property
    def cancel(self) -> CancelToken:
        """Cancels the run."""

    def model_session(
        self,
        run_id: str,
        settings: RunSettings,
        until: Deadline,
        on_event: Callable[[ProgressEvent], None],
        *,
        resuming: bool,
        used_before: Usage | None = None,
    ) -> ModelSession:
        """What the requests of the run share, under its own caps and those of the session.

        Args:
            run_id: of the run.
            settings: its own, as they are stored.
            until: when its time for models is up.
            on_event: is told of progress.
            resuming: whether a model may have been asked in it before.
            used_before: what others had used of the caps when it began, if it is resumed.
        """

    def sandbox(self, inputs: InputOptions, *, fresh: bool = False) -> AbstractContextManager[Sandbox]:
        """A branch of the session's sandbox, which is stopped when the run is cancelled.

        Args:
            inputs: what the job runs in: an image needs containers of Docker.
            fresh: whether it uses nothing that earlier runs have found out.

        Raises:
            SandboxUnavailableError: there is none.
        """

    @property
    def budget(self) -> BudgetClock:
        """Measures the time that the run uses of its budget."""

    @property
    def share(self) -> CpuShare | None:
        """What the run has of the CPUs, if others go on at the same time."""

    def cores(self) -> Cores:
        """The cores that samples may be timed on."""

    def allow(self, target: Target) -> None:
        """Ask whoever decides about trust, before anything of the project runs.

        Raises:
            NotTrustedError: the answer was no.
        """
