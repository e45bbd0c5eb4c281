"""What `afterburner-agent resume` does: finds the stored run, goes on with it, and delivers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.cli.deliver import deliver
from afterburner.agent.cli.many import go_on_with_many
from afterburner.agent.cli.outputs import Outputs
from afterburner.agent.cli.progress import ProgressStyle, show_progress
from afterburner.agent.cli.resume_hint import say_how_to_resume
from afterburner.agent.session.from_settings import session_for
from afterburner.agent.store.more_time import give_more_time
from afterburner.agent.store.stored_run import RunState, owner_of
from afterburner.agent.store.table import open_runs
from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.destinations import STDOUT
from afterburner.sandbox.terminal.program_name import program_name

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings
    from afterburner.agent.store.stored_run import KeptRun, StoredRequest


def resume_stored(
    name: str, given: Outputs, style: ProgressStyle, *, max_seconds: float | None, apply: bool | None, yes: bool
) -> None:
    """Go on with a stored run, or tell the result of a finished one again, and deliver.

    Args:
        name: its id, the beginning of one, or `latest`.
        given: the places that are named now; without any, and without `apply`, those of before count.
        style: of the progress.
        max_seconds: a larger time budget; None: that of before.
        apply: whether the rewrite is written to the file; None: as before.
        yes: whether it is written without a question.

    Raises:
        UsageError: the run cannot give what is asked for.
        AfterburnerError: there is no such run, it failed, or something could not be written.
    """
    stored = _stored(name)
    if given.receipt is not None and not stored.settings.proof.receipt:
        raise UsageError(f"Run {stored.run.run_id} was started without --receipt, and keeps nothing to write one from.")
    if given.counterexample is not None and not stored.settings.proof.counterexample:
        raise UsageError(f"Run {stored.run.run_id} was started without --counterexample, and keeps no test to write.")
    outputs = given if given.places() or apply is not None else stored.outputs
    outputs = replace(outputs, apply=outputs.apply if apply is None else apply, yes=yes or outputs.yes)
    if max_seconds is not None:
        stored = _with_more_time(stored, max_seconds)
    if stored.run.is_many:
        _go_on_with_many(stored, given, outputs, style)
        return
    outputs.check(Path(stored.run.file))
    result = _go_on(stored, style)
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
            raise UsageError(f"Run {run.run_id} is part of another: `{program_name()} resume {owner}` continues it.")
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
