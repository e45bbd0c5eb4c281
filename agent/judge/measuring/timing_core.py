"""The core that samples are timed on: leased from the machine for as long as a sample takes, and no longer."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.deadline import BudgetClock
from afterburner.sandbox.cores import Cores, divide_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from afterburner.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class TimingCore:
    """Two runs never time on one core, whichever processes they are in.

    A run that has to wait calls `on_wait`, and its time budget stands meanwhile. Judging, searching and asking need no
    quiet core: they go on beside it.
    """

    on_wait: Callable[[], object] = lambda: None
    cores: Cores = field(default_factory=divide_cores)
    budget: BudgetClock = field(default_factory=BudgetClock)

    @contextmanager
    def leased(self, sandbox: Sandbox) -> Iterator[int]:
        """A core for one sample, or for several that run together.

        Raises:
            CancelledError: the sandbox was stopped while it waited.
        """
        with ExitStack() as waiting:

            def wait() -> None:
                waiting.enter_context(self.budget.paused())
                self.on_wait()

            with self.cores.lease(lambda: sandbox.stopped, wait) as cpu:
                waiting.close()
                with self.budget.working():
                    yield cpu


def timed_on(core: TimingCore | None, sandbox: Sandbox) -> AbstractContextManager[int | None]:
    """The core to pin a sample to, leased while the block runs; None where nothing is timed.

    Raises:
        CancelledError: the sandbox was stopped while it waited.
    """
    return nullcontext() if core is None else core.leased(sandbox)
