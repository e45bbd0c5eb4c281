"""Reads the runs of a store that proved an improvement. Nothing of it is unpickled: see the store's codec."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.errors import RunStoreError
from afterburner.agent.loop.results import RunDecision
from afterburner.agent.models.requests.recording import RecordedTarget
from afterburner.agent.store.connect import open_existing_database
from afterburner.agent.store.stored_run import FORMAT
from afterburner.agent.store.table import RunTable
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.store.stored_run import KeptRun


@dataclass(frozen=True, slots=True)
class ProvenRun:
    """A run with a proven offer, and what it was asked to do."""

    result: RunResult
    settings: RunSettings

    @property
    def name(self) -> str:
        """What the run rewrote, as recordings name it."""
        return str(RecordedTarget.of(self.result.target))


@dataclass(frozen=True, slots=True)
class UnreadableRun:
    """A run with a proven offer that cannot be read, and why."""

    run_id: str
    reason: str


def proven_runs(store: Path | None, project: str = "") -> Iterator[ProvenRun | UnreadableRun]:
    """The runs with a proven offer, the oldest first.

    Args:
        store: the folder of the store; None: the user's.
        project: only runs on files in this folder; empty: all.

    Raises:
        TrainingError: there is no store.
        RunStoreError: it cannot be read.
    """
    with open_existing_database(store) as database:
        if database is None:
            raise TrainingError(
                f"There is no store of runs{f' in {store}' if store else ''}. The first run of afterburner-agent makes "
                "it. Give the folder of another one by --store DIR."
            )
        runs = RunTable(database)
        kept = sorted(runs.all(members=True), key=lambda run: run.run_id)
        for run in kept:
            if run.decision == RunDecision.IMPROVED and not run.is_many and _is_in(run.file, project):
                yield _read(runs, run)


def _read(runs: RunTable, run: KeptRun) -> ProvenRun | UnreadableRun:
    if run.format != FORMAT:
        return UnreadableRun(run.run_id, "another version of this program has stored it")
    try:
        result = runs.result(run.run_id)
        settings = runs.asked(run.run_id).settings
    except RunStoreError as error:
        return UnreadableRun(run.run_id, str(error))
    return ProvenRun(result, settings) if result is not None else UnreadableRun(run.run_id, "its result is missing")


def _is_in(file: str, project: str) -> bool:
    return not project or Path(file).is_relative_to(Path(project).resolve())
