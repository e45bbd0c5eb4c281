"""`afterburner-agent runs` and `afterburner-agent show RUN`: what is kept of earlier runs."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterburner.agent.wording import count, format_ratio
from afterburner.sandbox.terminal.destinations import STDOUT, check_destination, write_result
from afterburner.sandbox.terminal.options import filled
from afterburner.sandbox.terminal.text import display_path, format_elapsed, scrub_line

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.store.stored_run import KeptRun
    from afterburner.agent.store.table import RunTable

SCHEMA = 1
STATE_STYLE = {"running": "cyan", "interrupted": "yellow", "finished": ""}

Json = Annotated[
    str | None, typer.Option(metavar="FILE|-", callback=filled, help="Write it as JSON to FILE; - is stdout.")
]


def runs(json: Json = None) -> None:
    """List the stored runs, newest first."""
    from afterburner.agent.store.table import open_runs  # noqa: PLC0415 - not needed to answer --help

    _check(json)
    with open_runs() as table:
        kept = table.all()
    if json is not None:
        _write_json(json, {"schema": SCHEMA, "runs": [_entry(run) for run in kept]})
    if json == STDOUT:
        return
    console = _console()
    if not kept:
        console.print("No run is stored. `afterburner-agent run FILE` starts one.")
        return
    _print_list(console, kept)


def show(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="A run's id, the beginning of one, or latest.", show_default=False, callback=filled
        ),
    ],
    json: Json = None,
) -> None:
    """Show the report of a run, or what is known so far of an unfinished one."""
    from afterburner.agent.cli.offer import weigh  # noqa: PLC0415 - not needed to answer --help
    from afterburner.agent.cli.report import to_json  # noqa: PLC0415 - likewise
    from afterburner.agent.cli.summary import print_summary  # noqa: PLC0415 - likewise
    from afterburner.agent.store.table import open_runs  # noqa: PLC0415 - likewise

    _check(json)
    console = _console()
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
        _write_json(json, to_json(result, asked))
    if json != STDOUT:
        print_summary(console, result, weigh(result, asked.proof.min_gain_per_line))


def _show_many(console: Console, table: RunTable, run: KeptRun, json: str | None) -> None:
    """What a run over many targets has found out, so far or in the end."""
    from rich.text import Text  # noqa: PLC0415 - not needed to answer --help

    from afterburner.agent.batch.results import restored  # noqa: PLC0415 - likewise
    from afterburner.agent.cli.many import is_offered, many_to_json, patch_names  # noqa: PLC0415 - likewise
    from afterburner.agent.cli.many_summary import print_many  # noqa: PLC0415 - likewise

    many = restored(table, run, is_offered)
    is_over = run.state.value == "finished"
    many.interrupted = not is_over
    if json is not None:
        _write_json(json, many_to_json(many, patch_names(many), set()))
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
        console.print(f"`afterburner-agent resume {run.run_id}` continues it.", soft_wrap=True)


def _show_unfinished(console: Console, table: RunTable, run: KeptRun, json: str | None) -> None:
    """What the nodes that ended have found out."""
    from rich.text import Text  # noqa: PLC0415 - not needed to answer --help

    from afterburner.agent.cli.report import candidate_entry  # noqa: PLC0415 - likewise
    from afterburner.agent.cli.summary import print_candidates  # noqa: PLC0415 - likewise
    from afterburner.agent.store.checkpoints import open_checkpointer, stored_state  # noqa: PLC0415 - likewise

    with open_checkpointer(table.database) as checkpointer:
        state = stored_state(checkpointer, run.run_id)
    candidates = state["records"] if state is not None else []
    if json is not None:
        known = {"used_s": state["used_s"] if state else None, "tests_begun": table.tests_begun(run.run_id)}
        entries = [candidate_entry(each) for each in candidates]
        _write_json(json, {"schema": SCHEMA, **_entry(run), **known, "candidates": entries})
    if json == STDOUT:
        return
    print_candidates(console, candidates)
    if candidates:
        console.print()
    name = f"{display_path(run.file)} {scrub_line(run.function or '')}".strip()
    console.print(Text(f"{run.state.value}  {name}: {_standing(state)}"), soft_wrap=True)
    if run.state.value == "interrupted":
        console.print(f"`afterburner-agent resume {run.run_id}` continues it.", soft_wrap=True)


def _standing(state: LoopState | None) -> str:
    if state is None:
        return "nothing is known yet"
    best = state["lineage"][-1]
    told = f"best so far {format_ratio(best.ratio)}, by screening" if best.id != "original" else "nothing better yet"
    tried = f", {count(state['tried'], 'winner')} tested" if state["tried"] else ""
    return f"iteration {state['iteration']}, {told}{tried}, {format_elapsed(state['used_s'])} min used"


def _print_list(console: Console, kept: list[KeptRun]) -> None:
    from rich.table import Table  # noqa: PLC0415 - not needed to answer --help
    from rich.text import Text  # noqa: PLC0415 - likewise

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("run", "begun", "file", "function", "model", "state", "decision", "gain"):
        whole = column in {"run", "begun"}  # an id is copied, and looked for by `grep`
        table.add_column(column, overflow="fold", no_wrap=whole, justify="right" if column == "gain" else "left")
    for run in kept:
        table.add_row(
            run.run_id,
            time.strftime("%Y-%m-%d %H:%M", time.localtime(run.begun_s)),
            Text(display_path(run.file)),
            Text("(many)" if run.is_many else scrub_line(run.function or "-")),
            Text(scrub_line(run.model)),
            Text(run.state.value, style=STATE_STYLE[run.state.value]),
            (run.decision or "-").replace("_", " "),
            format_ratio(run.gain) if run.gain else "-",
        )
    console.print(table)


def _entry(run: KeptRun) -> dict[str, Any]:
    begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(run.begun_s))
    return {
        "run_id": run.run_id,
        "state": run.state.value,
        "kind": "many" if run.is_many else "one",
        "begun_at": begun,
        "target": {"file": run.file, "function": run.function},
        "model": run.model,
        "decision": run.decision,
        "gain": run.gain,
    }


def _check(json: str | None) -> None:
    from afterburner.agent.store.sqlite import database_path  # noqa: PLC0415 - not needed to answer --help

    if json is not None:
        check_destination("--json", json, database_path(), "where the runs are kept")


def _write_json(place: str, document: dict[str, Any]) -> None:
    from afterburner.agent.cli.report import json_text  # noqa: PLC0415 - not needed to answer --help

    write_result("--json", place, json_text(document).encode("ascii"))


def _console() -> Console:
    from afterburner.sandbox.terminal.console import open_console  # noqa: PLC0415 - likewise

    return open_console(sys.stdout)
