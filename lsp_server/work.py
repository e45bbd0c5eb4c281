"""What the editor asks of the agent, in a thread that may take its time: a session, a job, a result.

The session's modules bring LangGraph and more. They are loaded when a run begins, so that the server starts fast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
class Asked:
    """Who asks for a run, and how it is told of it.

    Attributes:
        settings: of a run, by their names in pyproject.toml.
        given_by: who set them, for messages.
        trust: decides whether code of the project may run.
        cancel: ends the run.
        on_event: receives its progress, in any thread.
    """

    settings: Mapping[str, Any]
    given_by: str
    trust: Trust
    cancel: CancelToken
    on_event: OnEvent


def optimize(buffers: Buffers, function: str | None, objective: str, asked: Asked) -> RunResult:
    """Optimise a function as the editor holds it; None: the hottest of the file.

    Raises:
        AfterburnerError: see `Session.optimize`.
    """

    def run(session: Any, settings: RunSettings) -> RunResult:
        job = agent.Job.from_text(
            buffers.path, buffers.text, function=function, inputs=_inputs(settings, buffers), others=buffers.others
        )
        result: RunResult = session.optimize(
            job, settings.search, proof=settings.proof, on_event=asked.on_event, cancel=asked.cancel
        )
        return result

    return _in_session(buffers, asked, run, {"objective": objective})


def prove(buffers: Buffers, function: str, asked: Asked) -> ComparisonResult:
    """Compare a function as the editor holds it with the last commit.

    Raises:
        AfterburnerError: see `Session.compare`.
    """

    def run(session: Any, settings: RunSettings) -> ComparisonResult:
        before = agent.Job.from_revision(buffers.path, COMMIT, function=function, inputs=_inputs(settings, buffers))
        after = agent.Job.from_text(buffers.path, buffers.text, function=function, others=buffers.others)
        result: ComparisonResult = session.compare(
            before, after, settings.search, proof=settings.proof, on_event=asked.on_event, cancel=asked.cancel
        )
        return result

    return _in_session(buffers, asked, run, {})


def _inputs(settings: RunSettings, buffers: Buffers) -> InputOptions:
    return settings.inputs if buffers.calls is None else replace(settings.inputs, calls=buffers.calls)


def _in_session(
    buffers: Buffers, asked: Asked, run: Callable[[Any, RunSettings], Result], chosen: Mapping[str, Any]
) -> Result:
    with agent.open_session(store=None, trust=asked.trust) as asking:
        options = asking.project_options(
            buffers.path, given={**asked.settings, **chosen}, given_by=asked.given_by, cancel=asked.cancel
        )
    settings = options.settings
    with agent.open_session(
        models=settings.models, caps=settings.caps, proof=settings.proof, trust=asked.trust
    ) as session:
        return run(session, settings)
