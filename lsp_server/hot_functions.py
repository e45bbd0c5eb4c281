"""Profiles the tests of a project, in a worker thread: which of its functions are hot."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner import agent
from afterburner.agent.code.locate import read_source
from afterburner.lsp_server.project_session import in_project_session
from afterburner.lsp_server.text.rebase import text_of_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.options import RunSettings
    from afterburner.lsp_server.project_session import RunRequest

HOT_SHARE = 0.05  # of the CPU time; below it a rewrite would hardly be felt
HOT_S = 0.02  # of CPU time; below it a share of very short tests would mean nothing


@dataclass(frozen=True, slots=True)
class HotFunction:
    """A function that takes much of the time of a project's tests.

    Attributes:
        path: of its file.
        name: its qualified name.
        share: of the CPU time in the project's files: its own, and that of what it calls outside of them.
        text: its lines as they were profiled.
    """

    path: str
    name: str
    share: float
    text: str


@dataclass(frozen=True, slots=True)
class HotFunctions:
    """What a profile has found, the hottest first.

    Attributes:
        marked: those that get a hint.
        quick: hot, but a rewrite could save less than `HOT_S`.
    """

    marked: tuple[HotFunction, ...]
    quick: tuple[HotFunction, ...] = ()


def allowed_project(path: str, request: RunRequest) -> Path:
    """The folder of the project that a file belongs to, after asking whether its code may run.

    Raises:
        NotTrustedError: it may not.
        AfterburnerError: its settings are invalid.
    """
    folder = agent.project_of(Path(path))
    in_project_session(
        folder,
        request,
        lambda session, _: session.allow_code_of(str(folder), request.cancel),
        chosen={},
        asks_model=False,
    )
    return folder


def hot_functions(folder: Path, request: RunRequest) -> HotFunctions:
    """The functions of a project that take much of the time of its tests, the hottest first.

    Raises:
        WorkloadError: there are no tests, or they call nothing of the project.
        AfterburnerError: see `Session.survey`.
    """

    def profile(session: Any, settings: RunSettings) -> Sequence[RankedTarget]:
        ranked: Sequence[RankedTarget] = session.survey(
            folder,
            python=settings.inputs.python,
            environment=settings.inputs.environment,
            environment_from=settings.inputs.environment_from,
            on_event=request.on_event,
            cancel=request.cancel,
        )
        return ranked

    began_ns = time.time_ns()
    ranked = in_project_session(folder, request, profile, chosen={}, asks_model=False)
    hot = sorted((each for each in ranked if each.own_share >= HOT_SHARE), key=lambda each: -each.own_share)
    return HotFunctions(
        _unchanged((each for each in hot if each.saving_s >= HOT_S), began_ns),
        _unchanged((each for each in hot if each.saving_s < HOT_S), began_ns),
    )


def _unchanged(targets: Iterable[RankedTarget], began_ns: int) -> tuple[HotFunction, ...]:
    return tuple(
        HotFunction(each.path, each.function, each.own_share, text)
        for each in targets
        if (text := _text_before(each, began_ns)) is not None
    )


def _text_before(target: RankedTarget, began_ns: int) -> str | None:
    """The lines of a function; None: its file was changed while the tests ran, or is gone."""
    path = Path(target.path)
    try:
        source, _ = read_source(path)
        if path.stat().st_mtime_ns > began_ns:
            return None
    except (OSError, agent.UsageError):
        return None
    return text_of_function(source, target.function)
