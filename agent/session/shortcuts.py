"""The short forms: one function for one job, with a session of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.job.job import Job
from afterburner.agent.option_kinds import EnvironmentKind
from afterburner.agent.options import VERIFY_S, InputOptions, Search, settings_of
from afterburner.agent.session.from_settings import job_of, session_for
from afterburner.agent.session.session import open_session
from afterburner.agent.store.table import open_runs

if TYPE_CHECKING:
    from afterburner.agent.events import OnEvent
    from afterburner.agent.judge.verify import Verification
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.sandbox import CancelToken


def optimize(
    file: str | Path,
    *,
    function: str | None = None,
    on_event: OnEvent | None = None,
    cancel: CancelToken | None = None,
    **options: Any,
) -> RunResult:
    """Optimise one function of a file, or a whole stdin/stdout program, and prove the gain. Nothing is written.

    The short form of `open_session(…).optimize(Job.from_file(…), Search(…))`.

    Args:
        file: the Python file, or with `cases` a program in any language of the sandbox.
        function: `name` or `Class.name`; if None, the one with the most CPU time, or memory, by a profile.
        on_event: is told of progress; by several threads while a language model is asked.
        cancel: ends the run from another thread.
        **options: those of the command line by name, as `options.py` defines them: `model="rules"`, `iterations=4`.

    Raises:
        AfterburnerError: see `Session.optimize`.
    """
    return optimize_with(settings_of(str(file), function, **options), on_event, cancel)


def optimize_with(
    settings: RunSettings, on_event: OnEvent | None = None, cancel: CancelToken | None = None
) -> RunResult:
    """The same from settings that are there already.

    Raises:
        AfterburnerError: see `Session.optimize`.
    """
    with session_for(settings) as session:
        return session.optimize(job_of(settings), settings.search, on_event=on_event, cancel=cancel)


def resume(name: str, on_event: OnEvent | None = None, cancel: CancelToken | None = None) -> RunResult:
    """Go on with a run of the user's store where it stands, or give the result of one that is over.

    Raises:
        AfterburnerError: see `Session.resume`.
    """
    with open_runs() as runs:
        found = runs.find(name)
        settings = runs.asked(found.run_id).settings_from(Path.cwd())
    with session_for(settings, found.run_id) as session:
        return session.resume(found.run_id, on_event=on_event, cancel=cancel)


def verify(
    file: str | Path,
    *,
    against: str | Path,
    function: str,
    calls: str | None = None,
    python: str | None = None,
    environment: EnvironmentKind = EnvironmentKind.AUTO,
    environment_from: str | None = None,
    seed: int = 0,
    max_seconds: float = VERIFY_S,
    float_tolerance: float | None = None,
    on_event: OnEvent | None = None,
    cancel: CancelToken | None = None,
) -> Verification:
    """Compare a function of `file` with the function of the same name in `against`, which is run in the file's place.

    Args:
        file: the Python file with the original.
        against: another whole file.
        function: `name` or `Class.name`.
        calls: a Python file that calls the function; without it, calls are found as for `optimize`.
        python: the interpreter to run the code with.
        environment: see `InputOptions`.
        environment_from: likewise.
        seed: of every random choice of ours.
        max_seconds: budget for all of it. It takes less where nothing new can be thought of.
        float_tolerance: the largest relative difference of two floats; exactly equal without it.
        on_event: is told of progress.
        cancel: ends it from another thread.

    Raises:
        AfterburnerError: one of the tree in `afterburner.sandbox.errors` and `afterburner.agent.errors`.
    """
    inputs = InputOptions(
        calls=calls,
        python=python,
        environment=environment,
        environment_from=environment_from,
        float_tolerance=float_tolerance,
    )
    with open_session() as session:
        return session.verify(
            Job.from_file(file, function=function, inputs=inputs),
            Job.from_file(against, function=function),
            Search(seed=seed, max_seconds=max_seconds),
            on_event=on_event,
            cancel=cancel,
        )
