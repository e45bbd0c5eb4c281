"""Runs the agent for the editor, in a worker thread: a session, a job, a result.

The session's modules bring LangGraph and more. They are loaded when a run begins, so that the server starts fast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner import agent
from afterburner.lsp_server.project_session import in_project_session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent import InputOptions
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.lsp_server.project_session import RunRequest

COMMIT = "HEAD"


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

    return in_project_session(buffers.path, request, run, {"objective": objective})


def prove(buffers: Buffers, function: str, request: RunRequest) -> ComparisonResult:
    """Compare a function as the editor holds it with the last commit.

    Raises:
        AfterburnerError: see `Session.compare`.
    """

    def run(session: Any, settings: RunSettings) -> ComparisonResult:
        before = agent.Job.from_revision(buffers.path, COMMIT, function=function, inputs=_inputs(settings, buffers))
        after = agent.Job.from_text(buffers.path, buffers.text, function=function, others=_of_project(buffers))
        proof = replace(settings.proof, counterexample=True)  # a test has all of a call, however long that is
        result: ComparisonResult = session.compare(
            before, after, settings.search, proof=proof, on_event=request.on_event, cancel=request.cancel
        )
        return result

    return in_project_session(buffers.path, request, run, {}, asks_model=False)


def _of_project(buffers: Buffers) -> dict[str, str]:
    """The unsaved texts that belong to the project of the file; an editor may hold those of others."""
    root = agent.project_of(Path(buffers.path))
    return {path: text for path, text in buffers.others.items() if Path(path).is_relative_to(root)}


def _inputs(settings: RunSettings, buffers: Buffers) -> InputOptions:
    return settings.inputs if buffers.calls is None else replace(settings.inputs, calls=buffers.calls)
