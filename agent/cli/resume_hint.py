"""Says how to continue a run that was interrupted, or whose model failed."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError, RunNotFoundError, RunStoreError
from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.agent.store.table import open_runs
from afterburner.sandbox.terminal.program_name import program_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextmanager
def say_how_to_resume(begun: Sequence[str]) -> Iterator[None]:
    """Where the run that was started is interrupted, or its model fails, say how to go on with it."""
    try:
        yield
    except KeyboardInterrupt:
        _say_resume(begun)
        raise
    except CapReachedError:
        raise  # what it may cost is used up in a resumed run, too
    except ProposerError:
        _say_resume([run_id for run_id in begun if _can_go_on(run_id)])
        raise


def _say_resume(run_ids: Sequence[str]) -> None:
    for run_id in run_ids:
        sys.stderr.write(f"`{program_name()} resume {run_id}` continues this run.\n")


def _can_go_on(run_id: str) -> bool:
    """Whether the run is kept: it is, once its inputs are found."""
    try:
        with open_runs() as runs:
            many = runs.find(run_id).is_many
            return (runs.many(run_id) if many else runs.prepared(run_id)) is not None
    except (RunStoreError, RunNotFoundError):
        return False  # what is told then is why the model failed, and no more
