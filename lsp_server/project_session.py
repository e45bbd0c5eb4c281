"""Opens a session with the settings of a project and those of whoever asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from afterburner import agent
from afterburner.agent.errors import SettingsError
from afterburner.agent.job.project_settings import read_project_options
from afterburner.agent.job.setting_values import outer_name
from afterburner.agent.option_kinds import options_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from afterburner.agent import CancelToken
    from afterburner.agent.events import OnEvent
    from afterburner.agent.job.trust import Trust, TrustRequest
    from afterburner.agent.options import RunSettings

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """The settings of a run, and how its caller hears of it.

    Attributes:
        settings: of a run, by their names in pyproject.toml.
        given_by: who set them, for messages.
        doubtful: which of them a file of the workspace may have set.
        trust: decides whether code of the project may run.
        on_refused: receives the names of settings that were not allowed, and the project's file, in any thread. The
            work goes on without them, unless it raises an error.
        cancel: ends the run.
        on_event: receives its progress, in any thread.
    """

    settings: Mapping[str, Any]
    given_by: str
    doubtful: frozenset[str]
    trust: Trust
    on_refused: Callable[[Sequence[str], Path | None], None]
    cancel: CancelToken
    on_event: OnEvent


def check_settings(place: str, settings: Mapping[str, Any], given_by: str, doubtful: frozenset[str]) -> None:
    """Check the settings before a run begins. An error is one whether or not the user lets all of them count.

    Args:
        place: the file that is to be optimised.
        settings: as in `RunRequest`.
        given_by: likewise.
        doubtful: likewise.

    Raises:
        SettingsError: one of them, or one in the project's pyproject.toml, is wrong.
    """
    answers = (True, False)
    for each in answers:
        try:
            read_project_options(Path(place), partial(_answered, says=each), settings, given_by, doubtful)
        except SettingsError:
            if each is answers[-1]:
                raise
        else:
            return


def _answered(_request: TrustRequest, *, says: bool) -> bool:
    return says


def in_project_session(
    place: str | Path,
    request: RunRequest,
    run: Callable[[Any, RunSettings], Result],
    chosen: Mapping[str, Any],
    *,
    asks_model: bool = True,
) -> Result:
    """Run something in a session with the settings of the project that a file or a folder belongs to.

    Args:
        place: the file or the folder.
        request: its settings come before those of the project.
        run: receives the session and the settings.
        chosen: settings that come before all others.
        asks_model: False: settings of models do not count, so that it does not matter whether they are allowed.

    Raises:
        SettingsError: a setting is invalid.
        AfterburnerError: of `run`, or of `request.on_refused`.
    """
    with agent.open_session(store=None, trust=request.trust) as settings_session:
        options = settings_session.project_options(
            place,
            given={**request.settings, **chosen},
            given_by=request.given_by,
            doubtful=request.doubtful,
            cancel=request.cancel,
        )
    refused = [name for name in options.refused if asks_model or name not in _of_models()]
    if refused:
        request.on_refused(refused, options.path)
    settings = options.settings
    with agent.open_session(
        models=settings.models, caps=settings.caps, proof=settings.proof, trust=request.trust
    ) as session:
        return run(session, settings)


def _of_models() -> set[str]:
    """The names of the settings that only matter where a model is asked."""
    return {outer_name(name, option) for name, option in options_of(agent.ModelOptions).items()}
