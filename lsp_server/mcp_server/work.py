"""The work behind the tools: a session, jobs, a result. All of it blocks, so it runs in a thread."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent import Job, UsageError
from afterburner.agent.code.answer_code import parse_answer_code
from afterburner.agent.code.foreign_code import attempted
from afterburner.agent.code.locate import find_target
from afterburner.agent.code.splice import RewriteError, splice
from afterburner.agent.models.prompts.trial_reading import try_reading
from afterburner.lsp_server.project_session import in_project_session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.agent import InputOptions
    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.lsp_server.project_session import RunRequest

LAST_COMMIT = "HEAD"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the client says of the function, beyond its name.

    Attributes:
        calls: Python code that calls it, which takes the place of the inputs that would be found; None: none.
        assume: what holds for every input, as Python expressions over the parameters.
        settings: of the run, by their names in pyproject.toml.
    """

    calls: str | None
    assume: Sequence[str]
    settings: Mapping[str, Any]


def survey(folder: Path, request: RunRequest) -> list[RankedTarget]:
    """Rank the functions of a folder; see `Session.survey`.

    Raises:
        AfterburnerError: see there.
    """

    def run(session: Any, settings: RunSettings) -> list[RankedTarget]:
        ranked: list[RankedTarget] = session.survey(
            folder, python=settings.inputs.python, on_event=request.on_event, cancel=request.cancel
        )
        return ranked

    return in_project_session(folder, request, run, {}, asks_model=False)


def optimize(file: Path, function: str | None, asked: Asked, request: RunRequest) -> RunResult:
    """Optimise a function of a file, or the hottest; see `Session.optimize`.

    Raises:
        AfterburnerError: see there.
    """
    with tempfile.TemporaryDirectory(prefix="afterburner-calls-") as folder:

        def run(session: Any, settings: RunSettings) -> RunResult:
            job = Job.from_file(file, function=function, inputs=_inputs(settings.inputs, asked, Path(folder)))
            result: RunResult = session.optimize(
                job, settings.search, proof=settings.proof, on_event=request.on_event, cancel=request.cancel
            )
            return result

        return in_project_session(file, request, run, asked.settings)


def compare(
    file: Path, function: str | None, asked: Asked, request: RunRequest, *, rewrite: str | None, base: str | None
) -> ComparisonResult:
    """Compare a file with a rewrite of it, or with a revision; see `Session.compare`.

    Args:
        file: as it is on the disk: with a rewrite and no base the first version, otherwise the second.
        function: `name` or `Class.name`; None: the one that differs.
        asked: what else the client says.
        request: how the caller hears of it.
        rewrite: new code of the function, or without one the whole new file.
        base: the git revision of the first version; None: the last commit, or with a rewrite the disk.

    Raises:
        AfterburnerError: see there.
    """
    with tempfile.TemporaryDirectory(prefix="afterburner-calls-") as folder:

        def run(session: Any, settings: RunSettings) -> ComparisonResult:
            inputs = _inputs(settings.inputs, asked, Path(folder))
            if rewrite is None or base is not None:
                before = Job.from_revision(file, base or LAST_COMMIT, function=function, inputs=inputs)
            else:
                before = Job.from_file(file, function=function, inputs=inputs)
            after = Job.from_file(file, function=function)
            if rewrite is not None:
                after = Job.from_text(file, _with_rewrite(file, function, rewrite), function=function)
            result: ComparisonResult = session.compare(
                before, after, settings.search, proof=settings.proof, on_event=request.on_event, cancel=request.cancel
            )
            return result

        return in_project_session(file, request, run, asked.settings, asks_model=False)


def _inputs(found: InputOptions, asked: Asked, folder: Path) -> InputOptions:
    calls = found.calls
    if asked.calls is not None:
        place = folder / "calls.py"
        place.write_text(asked.calls, encoding="utf-8")
        calls = str(place)
    return replace(found, calls=calls, assume=(*found.assume, *asked.assume))


def _with_rewrite(file: Path, function: str | None, rewrite: str) -> str:
    """The text of the file with the rewrite in it."""
    if function is None:
        return rewrite
    target = find_target(file, function, whole_program=False)
    try:
        try_reading(f"```python\n{rewrite}\n```", target, {})
        return attempted(lambda: splice(target, parse_answer_code(rewrite, target)), "read")
    except RewriteError as error:
        raise UsageError(
            f"rewrite: {error} Give the whole new code of {function}, with the imports and helpers that it needs; or "
            "leave `function` out, and give the whole new file."
        ) from error
