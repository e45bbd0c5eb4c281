"""Runs the agent for the editor, in a worker thread: a session, a job, a result.

The session's modules bring LangGraph and more. They are loaded when a run begins, so that the server starts fast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from afterburner import agent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from afterburner.agent import CancelToken, InputOptions
    from afterburner.agent.events import OnEvent
    from afterburner.agent.job.trust import Trust
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.session.compare import ComparisonResult

COMMIT = "HEAD"
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Buffers:
    """What the editor holds when a run begins.

    Attributes:
        path: of the file.
        text: of it.
        others: the texts of other files that are not saved, by path.
        calls: a file whose calls of the function are what it is judged on; None: calls are looked for.
    """

    path: str
    text: str
    others: Mapping[str, str]
    calls: str | None = None


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The settings of a run, and how its caller hears of it.

    Attributes:
        settings: of a run, by their names in pyproject.toml.
        given_by: who set them, for messages.
        doubtful: which of them a file of the workspace may have set.
        trust: decides whether code of the project may run.
        cancel: ends the run.
        on_event: receives its progress, in any thread.
    """

    settings: Mapping[str, Any]
    given_by: str
    doubtful: frozenset[str]
    trust: Trust
    cancel: CancelToken
    on_event: OnEvent


def optimize(buffers: Buffers, function: str | None, objective: str, request: RunRequest) -> RunResult:
    """Optimise a function as the editor holds it; None: the hottest of the file.

    Raises:
        AfterburnerError: see `Session.optimize`.
    """

    def run(session: Any, settings: RunSettings) -> RunResult:
        job = agent.Job.from_text(
            buffers.path,
            buffers.text,
            function=function,
            inputs=_inputs(settings, buffers),
            others=_of_project(buffers),
        )
        result: RunResult = session.optimize(
            job, settings.search, proof=settings.proof, on_event=request.on_event, cancel=request.cancel
        )
        return result

    return _in_session(buffers, request, run, {"objective": objective})


def prove(buffers: Buffers, function: str, request: RunRequest) -> ComparisonResult:
    """Compare a function as the editor holds it with the last commit.

    Raises:
        AfterburnerError: see `Session.compare`.
    """

    def run(session: Any, settings: RunSettings) -> ComparisonResult:
        before = agent.Job.from_revision(buffers.path, COMMIT, function=function, inputs=_inputs(settings, buffers))
        after = agent.Job.from_text(buffers.path, buffers.text, function=function, others=_of_project(buffers))
        result: ComparisonResult = session.compare(
            before, after, settings.search, proof=settings.proof, on_event=request.on_event, cancel=request.cancel
        )
        return result

    return _in_session(buffers, request, run, {})


def _of_project(buffers: Buffers) -> dict[str, str]:
    """The unsaved texts that belong to the project of the file; an editor may hold those of others."""
    root = agent.project_of(Path(buffers.path))
    return {path: text for path, text in buffers.others.items() if Path(path).is_relative_to(root)}


def _inputs(settings: RunSettings, buffers: Buffers) -> InputOptions:
    return settings.inputs if buffers.calls is None else replace(settings.inputs, calls=buffers.calls)


def _in_session(
    buffers: Buffers, request: RunRequest, run: Callable[[Any, RunSettings], Result], chosen: Mapping[str, Any]
) -> Result:
    with agent.open_session(store=None, trust=request.trust) as settings_session:
        options = settings_session.project_options(
            buffers.path,
            given={**request.settings, **chosen},
            given_by=request.given_by,
            doubtful=request.doubtful,
            cancel=request.cancel,
        )
    if options.refused:
        names = ", ".join(options.refused)
        raise agent.SettingsError(
            f"{options.path} sets {names}, and you did not allow it. Allow it, or remove it there."
        )
    settings = options.settings
    with agent.open_session(
        models=settings.models, caps=settings.caps, proof=settings.proof, trust=request.trust
    ) as session:
        return run(session, settings)
