"""`afterburner-agent show RUN`: what is kept of one run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from afterburner.agent.batch.batch_results import restored
from afterburner.agent.cli.completions import complete_run
from afterburner.agent.cli.document_parts import CandidatePart
from afterburner.agent.cli.many import is_offered, patch_names
from afterburner.agent.cli.many_document import document_of_many
from afterburner.agent.cli.many_summary import print_many
from afterburner.agent.cli.offer import weigh
from afterburner.agent.cli.run_document import document_of
from afterburner.agent.cli.runs import Json, check_json, write_json
from afterburner.agent.cli.runs_document import StoredRunPart, UnfinishedDocument
from afterburner.agent.cli.summary import print_candidates, print_summary
from afterburner.agent.store.checkpoints import open_checkpointer, stored_state
from afterburner.agent.store.table import open_runs
from afterburner.agent.wording import count, format_ratio
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import STDOUT
from afterburner.sandbox.terminal.options import filled
from afterburner.sandbox.terminal.program_name import program_name
from afterburner.sandbox.terminal.text import display_path, format_elapsed, scrub_line

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.store.stored_run import KeptRun
    from afterburner.agent.store.table import RunTable


def show(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run's id, the beginning of one, or latest.",
            show_default=False,
            autocompletion=complete_run,
            callback=filled,
        ),
    ],
    json: Json = None,
) -> None:
    """Show the report of a run, or what is known so far of an unfinished one."""
    check_json(json)
    console = open_console(sys.stdout)
    with open_runs() as table:
        kept = table.find(run)
        if kept.is_many:
            _show_many(console, table, kept, json)
            return
        result = table.result(kept.run_id)
        if result is None:
            _show_unfinished(console, table, kept, json)
            return
        asked = table.asked(kept.run_id).settings_from(Path.cwd())
    if json is not None:
        write_json(json, document_of(result, asked))
    if json != STDOUT:
        print_summary(console, result, weigh(result, asked.proof.min_gain_per_line))


def _show_many(console: Console, table: RunTable, run: KeptRun, json: str | None) -> None:
    """What a run over many targets has found out, so far or in the end."""
    many = restored(table, run, is_offered)
    is_over = run.state.value == "finished"
    many.interrupted = not is_over
    if json is not None:
        write_json(json, document_of_many(many, patch_names(many), set()))
    if json == STDOUT:
        return
    print_many(console, many, {})
    members = ", ".join(table.members(run.run_id))
    if members:
        console.print(f"The runs on one target each: {members}.", soft_wrap=True)
    if not is_over:
        known = (
            f"{many.tried} of {count(many.settings.batch.top, 'target')} done"
            if many.ranked
            else "nothing is known yet"
        )
        standing = f"{run.state.value}  {display_path(run.file)}: {known}, {format_elapsed(many.used_s)} min used"
        console.print(Text(standing), soft_wrap=True)
    if run.state.value == "interrupted":
        console.print(f"`{program_name()} resume {run.run_id}` continues it.", soft_wrap=True)


def _show_unfinished(console: Console, table: RunTable, run: KeptRun, json: str | None) -> None:
    """What the nodes that ended have found out."""
    with open_checkpointer(table.database) as checkpointer:
        state = stored_state(checkpointer, run.run_id)
    candidates = state["records"] if state is not None else []
    if json is not None:
        document = UnfinishedDocument(
            **dict(StoredRunPart.of(run)),
            used_s=state["used_s"] if state else None,
            tests_begun=table.tests_begun(run.run_id),
            candidates=[CandidatePart.model_validate(each) for each in candidates],
        )
        write_json(json, document)
    if json == STDOUT:
        return
    print_candidates(console, candidates)
    if candidates:
        console.print()
    name = f"{display_path(run.file)} {scrub_line(run.function or '')}".strip()
    console.print(Text(f"{run.state.value}  {name}: {_standing(state)}"), soft_wrap=True)
    if run.state.value == "interrupted":
        console.print(f"`{program_name()} resume {run.run_id}` continues it.", soft_wrap=True)


def _standing(state: LoopState | None) -> str:
    if state is None:
        return "nothing is known yet"
    best = state["lineage"][-1]
    told = f"best so far {format_ratio(best.ratio)}, by screening" if best.id != "original" else "nothing better yet"
    tried = f", {count(state['tried'], 'winner')} tested" if state["tried"] else ""
    return f"iteration {state['iteration']}, {told}{tried}, {format_elapsed(state['used_s'])} min used"
