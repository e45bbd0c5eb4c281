"""The work behind the tools: a session, jobs, a result. All of it blocks, so it runs in a thread."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent import InputOptions, Job, Proof, Search, UsageError, project_of
from afterburner.agent.code.answer_code import parse_answer_code
from afterburner.agent.code.foreign_code import attempted
from afterburner.agent.code.locate import find_target, read_source
from afterburner.agent.code.revisions import file_at
from afterburner.agent.code.splice import RewriteError, splice
from afterburner.agent.models.prompts.trial_reading import try_reading
from afterburner.lsp_server.mcp_server.beside import differences_beside
from afterburner.lsp_server.project_session import in_project_session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from afterburner.agent.inputs.rank import RankedTarget
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.session.compare import ComparisonResult
    from afterburner.lsp_server.project_session import RunRequest

LAST_COMMIT = "HEAD"
_CALLS_FOLDER = "afterburner-calls-"


@dataclass(frozen=True, slots=True)
class FunctionRequest:
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
            folder,
            python=settings.inputs.python,
            environment=settings.inputs.environment,
            environment_from=settings.inputs.environment_from,
            on_event=request.on_event,
            cancel=request.cancel,
        )
        return ranked

    return in_project_session(folder, request, run, {}, asks_model=False)


def optimize(file: Path, function: str | None, asked: FunctionRequest, request: RunRequest) -> RunResult:
    """Optimise a function of a file, or the hottest; see `Session.optimize`.

    Raises:
        AfterburnerError: see there.
    """

    def run(session: Any, settings: RunSettings) -> RunResult:
        with _inputs(settings.inputs, asked) as inputs:
            result: RunResult = session.optimize(
                Job.from_file(file, function=function, inputs=inputs),
                settings.search,
                proof=settings.proof,
                on_event=request.on_event,
                cancel=request.cancel,
            )
        return result

    return in_project_session(file, request, run, asked.settings)


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison, and what was compared.

    Attributes:
        result: of the session.
        before: what the first version is, in words.
        after: likewise.
        not_judged: what else differs between the two files.
    """

    result: ComparisonResult
    before: str
    after: str
    not_judged: tuple[str, ...]


def compare(
    file: Path,
    function: str | None,
    asked: FunctionRequest,
    request: RunRequest,
    *,
    rewrite: str | None,
    base: str | None,
) -> Compared:
    """Compare a file with a rewrite of it, or with a revision; see `Session.compare`.

    The project's settings do not count: whoever writes a rewrite may write these, too. Its interpreter does.

    Args:
        file: as it is on the disk: with a rewrite and no base the first version, otherwise the second.
        function: `name` or `Class.name`; None: the one that differs.
        asked: what else the client says.
        request: how the caller hears of it.
        rewrite: new code of the function, or without one the whole new file.
        base: the git revision of the first version; None: the last commit, or with a rewrite the disk.

    Raises:
        UsageError: there is nothing to compare.
        AfterburnerError: see `Session.compare`.
    """
    revision = base or (LAST_COMMIT if rewrite is None else None)
    after_text = _with_rewrite(file, function, rewrite) if rewrite is not None else read_source(file)[0]
    before_text = _text_before(file, revision)
    if before_text == after_text:
        raise UsageError(
            f"{file} is the same in both versions: {_named(revision)} and {_after(rewrite)}. Give another `rewrite`, "
            "edit the file, or name another `base`."
        )

    def run(session: Any, settings: RunSettings) -> ComparisonResult:
        chosen = InputOptions(
            python=settings.inputs.python,
            environment=settings.inputs.environment,
            environment_from=settings.inputs.environment_from,
        )
        with _inputs(chosen, asked) as inputs:
            before = (
                Job.from_file(file, function=function, inputs=inputs)
                if revision is None
                else Job.from_revision(file, revision, function=function, inputs=inputs)
            )
            result: ComparisonResult = session.compare(
                before,
                Job.from_text(file, after_text, function=function),
                Search(**asked.settings),
                proof=Proof(),
                on_event=request.on_event,
                cancel=request.cancel,
            )
        return result

    result = in_project_session(file, request, run, {}, asks_model=False)
    rest = differences_beside(before_text, after_text, result.target.function)
    return Compared(result, _named(result.before_revision or revision), _after(rewrite), rest)


def _text_before(file: Path, revision: str | None) -> str:
    if revision is None:
        return read_source(file)[0]
    root = project_of(file)
    held = file_at(root, revision, str(file.relative_to(root)))
    if held is None:
        raise UsageError(f"{file} is not a file of revision {revision}. Give `rewrite`, or another `base`.")
    return held.decode("utf-8", "replace")


def _named(revision: str | None) -> str:
    return "the file on the disk" if revision is None else f"the file at revision {revision[:12]}"


def _after(rewrite: str | None) -> str:
    return "the file on the disk" if rewrite is None else "your rewrite"


@contextmanager
def _inputs(found: InputOptions, asked: FunctionRequest) -> Iterator[InputOptions]:
    """The inputs of a job, with the client's calls in a file that is there for as long as the block runs."""
    assumed = replace(found, assume=(*found.assume, *asked.assume))
    if asked.calls is None:
        yield assumed
        return
    with tempfile.TemporaryDirectory(prefix=_CALLS_FOLDER) as folder:
        place = Path(folder) / "calls.py"
        place.write_text(asked.calls, encoding="utf-8")
        yield replace(assumed, calls=str(place))


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
            f"The rewrite does not fit: {error} Give the whole new code of {function}, with the imports and helpers "
            "that it needs; or leave `function` out, and give the whole new file."
        ) from error
