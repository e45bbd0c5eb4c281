"""A larger time budget for a run that was interrupted."""

from __future__ import annotations

from dataclasses import replace

from afterburner.agent.store.stored_run import RunState
from afterburner.agent.store.table import open_runs
from afterburner.sandbox import UsageError


def give_more_time(run_id: str, max_seconds: float) -> None:
    """Raise the time budget of a run that is not over, for whoever resumes it.

    Args:
        run_id: its whole id; it may be over many targets.
        max_seconds: the new budget, what was used up before included.

    Raises:
        UsageError: the run is over, or was started with as much.
        RunInUseError: another process works on it.
    """
    with open_runs() as runs, runs.claimed(run_id):
        asked = runs.asked(run_id)
        if runs.find(run_id).state is RunState.FINISHED:
            raise UsageError(f"Run {run_id} is finished and cannot continue. Start a new one with --max-seconds.")
        before_s = asked.settings.search.max_seconds
        if max_seconds <= before_s:
            raise UsageError(
                f"--max-seconds {max_seconds:g}: the whole run has a budget of {before_s:g} s already. "
                "Give a larger one."
            )
        runs.keep_asked(
            run_id,
            replace(
                asked,
                settings=replace(asked.settings, search=replace(asked.settings.search, max_seconds=max_seconds)),
            ),
        )
