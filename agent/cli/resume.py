"""`afterburner-agent resume RUN`: goes on with a run that was interrupted, or tells a finished one's result again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.agent.cli.deliver import deliver
from afterburner.agent.cli.many import go_on_with_many
from afterburner.agent.cli.outputs import (
    COUNTEREXAMPLE_HELP,
    GROWTH_HELP,
    HTML_HELP,
    JSON_HELP,
    PATCH_HELP,
    Outputs,
    destination_option,
)
from afterburner.agent.cli.progress import ProgressStyle, progress_option, quiet_option, show_progress, style_of
from afterburner.agent.cli.resume_hint import say_how_to_resume
from afterburner.agent.session.from_settings import session_for
from afterburner.agent.store.more_time import give_more_time
from afterburner.agent.store.stored_run import RunState, owner_of
from afterburner.agent.store.table import open_runs
from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.destinations import STDOUT
from afterburner.sandbox.terminal.options import above_zero_if_given, filled

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.store.stored_run import KeptRun, StoredRequest

_OUT = "What to write (without any of these: what the run was started with)"


def resume(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="A run's id, the beginning of one, or latest.", show_default=False, callback=filled
        ),
    ],
    *,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            callback=above_zero_if_given,
            help="A larger time budget for the whole run, including the time already used.",
            show_default="that of before",
        ),
    ] = None,
    apply: Annotated[
        bool | None,
        typer.Option("--apply/--no-apply", help="Write the rewrite to the file.", rich_help_panel=_OUT),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --apply: do not ask before writing.", rich_help_panel=_OUT)
    ] = False,
    patch: Annotated[str | None, destination_option(PATCH_HELP, _OUT)] = None,
    json: Annotated[str | None, destination_option(JSON_HELP, _OUT)] = None,
    receipt: Annotated[
        str | None, destination_option("Write a receipt to FILE, if the run was started with --receipt.", _OUT)
    ] = None,
    growth_svg: Annotated[str | None, destination_option(GROWTH_HELP, _OUT)] = None,
    html: Annotated[str | None, destination_option(HTML_HELP, _OUT)] = None,
    counterexample: Annotated[str | None, destination_option(COUNTEREXAMPLE_HELP, _OUT)] = None,
    progress: Annotated[ProgressStyle, progress_option(_OUT)] = ProgressStyle.TEXT,
    quiet: Annotated[bool, quiet_option(_OUT)] = False,
) -> None:
    """Continue an interrupted run where it stopped.

    Of a finished run the result is told again, and nothing is measured: with --apply its rewrite is written.
    """
    style = style_of(progress, quiet=quiet)
    stored = _stored(run)
    if receipt is not None and not stored.settings.proof.receipt:
        raise UsageError(f"Run {stored.run.run_id} was started without --receipt, and keeps nothing to write one from.")
    if counterexample is not None and not stored.settings.proof.counterexample:
        raise UsageError(f"Run {stored.run.run_id} was started without --counterexample, and keeps no test to write.")
    given = Outputs(
        patch=patch, json=json, receipt=receipt, growth_svg=growth_svg, html=html, counterexample=counterexample
    )
    outputs = given if given.places() or apply is not None else stored.outputs
    outputs = replace(outputs, apply=outputs.apply if apply is None else apply, yes=yes or outputs.yes)
    if max_seconds is not None:
        stored = _with_more_time(stored, max_seconds)
    if stored.run.is_many:
        _go_on_with_many(stored, given, outputs, style)
        return
    outputs.check(Path(stored.run.file))
    result = _go_on(stored, style)
    if outputs.apply and _is_written(result):
        outputs = replace(outputs, apply=False)
    deliver(result, stored.settings, outputs)


def _go_on_with_many(stored: _Stored, given: Outputs, outputs: Outputs, style: ProgressStyle) -> None:
    if given.growth_svg is not None:
        raise UsageError(f"Run {stored.run.run_id} is over many targets, and --growth-svg is for one.")
    outputs.check_many(Path(stored.run.file), may_hold_patches=given.patch is None)
    go_on_with_many(stored.run.run_id, stored.settings, outputs, style)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A run, and what was asked for when it was started."""

    run: KeptRun
    settings: RunSettings
    outputs: Outputs


def _with_more_time(stored: _Stored, max_seconds: float) -> _Stored:
    give_more_time(stored.run.run_id, max_seconds)
    return replace(
        stored, settings=replace(stored.settings, search=replace(stored.settings.search, max_seconds=max_seconds))
    )


def _stored(name: str) -> _Stored:
    with open_runs() as table:
        run = table.find(name)
        owner = owner_of(run.run_id)
        if owner != run.run_id and run.state is not RunState.FINISHED:
            raise UsageError(f"Run {run.run_id} is part of another: `afterburner-agent resume {owner}` continues it.")
        asked = table.asked(run.run_id)
        return _Stored(run, asked.settings_from(Path.cwd()), _outputs(asked))


def _outputs(asked: StoredRequest) -> Outputs:
    """The places of a run that was perhaps begun in another folder."""
    known = Outputs(**asked.outputs)  # type: ignore[arg-type]  # they were written from the same class
    if asked.folder == str(Path.cwd()):
        return known
    places = {
        name: asked.place_of(place)
        for name in ("patch", "json", "receipt", "growth_svg", "html", "counterexample", "record")
        if isinstance(place := getattr(known, name), str) and place != STDOUT
    }
    return replace(known, **places)  # type: ignore[arg-type]  # likewise


def _go_on(stored: _Stored, style: ProgressStyle) -> RunResult:
    run_id = stored.run.run_id
    with (
        say_how_to_resume([run_id]),
        show_progress(stored.settings, style) as on_event,
        session_for(stored.settings, run_id) as session,
    ):
        return session.resume(run_id, on_event=on_event)


def _is_written(result: RunResult) -> bool:
    """Whether the file already holds what is offered: the run was killed behind its last step."""
    try:
        return Path(result.target.path).read_bytes() == result.best_source.encode(result.target.encoding)
    except (OSError, UnicodeError):
        return False
