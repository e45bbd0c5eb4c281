"""The doorway to runs over many targets: rank a folder's functions, optimise the best of those that count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.batch.batch_results import ManyResult
from afterburner.agent.batch.work import work_through
from afterburner.agent.events import OnEvent, ignore_event
from afterburner.agent.inputs.profiled_command import python_command
from afterburner.agent.options import BatchPlace, RunSettings
from afterburner.agent.store.checkpoints import new_run_id

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.session.session import Session
    from afterburner.sandbox import CancelToken

MOST_TARGETS = 10


def optimize_many(
    session: Session,
    settings: RunSettings,
    *,
    command: Sequence[str] = (),
    most: int = MOST_TARGETS,
    jobs: int | None = None,
    only: Callable[[RankedTarget], bool] | None = None,
    on_event: OnEvent = ignore_event,
    cancel: CancelToken | None = None,
) -> ManyResult:
    """Rank the functions of a folder, optimise the best of them, and run the tests with all rewrites in place.

    Nothing of the project is written.

    Args:
        session: with the models and the caps of the settings.
        settings: `file` is the folder; `search.max_seconds` is for everything.
        command: `python SCRIPT.py …`, which is profiled; without it the project's tests are.
        most: how many functions are tried.
        jobs: how many are worked on at a time; None: one for each CPU that programs may run on, 8 at most.
        only: which of the ranked functions count; None: all.
        on_event: receives progress events, by several threads.
        cancel: ends it from another thread.

    Raises:
        CancelledError: it was cancelled.
        WorkloadError: nothing ran, or nothing of the folder did.
        AfterburnerError: as `Session.optimize`. What fails for one function is told in its outcome.
    """
    words = python_command(tuple(command))
    folder = str(Path.cwd()) if words else ""
    batch = BatchPlace(top=most, jobs=jobs, command=words, command_folder=folder)
    many = ManyResult(Path(settings.file), replace(settings, batch=batch), new_run_id(), only)
    work_through(session, many, on_event, _is_improved, cancel=cancel)
    return many


def _is_improved(result: RunResult, _settings: RunSettings) -> bool:
    return result.improved
