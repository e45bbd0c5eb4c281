"""`afterburner-agent runs`: lists what is kept of earlier runs."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from afterburner.agent.cli.runs_document import RunsDocument, StoredRunPart
from afterburner.agent.store.sqlite import database_path
from afterburner.agent.store.table import open_runs
from afterburner.agent.wording import format_ratio
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import STDOUT, check_destination, write_result
from afterburner.sandbox.terminal.options import filled
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.store.stored_run import KeptRun
    from afterburner.sandbox.terminal.document import Document

_LONGEST_LINE = 20_000  # columns, in a pipe
STATE_STYLE = {"running": "cyan", "interrupted": "yellow", "finished": ""}

Json = Annotated[
    str | None, typer.Option(metavar="FILE|-", callback=filled, help="Write it as JSON to FILE; - is stdout.")
]


def runs(json: Json = None) -> None:
    """List the stored runs, newest first."""
    check_json(json)
    with open_runs() as table:
        kept = table.all()
    if json is not None:
        write_json(json, RunsDocument(runs=[StoredRunPart.of(run) for run in kept]))
    if json == STDOUT:
        return
    console = open_console(sys.stdout)
    if not kept:
        console.print("No run is stored. `afterburner-agent run FILE` starts one.")
        return
    print_list(console, kept)


def print_list(console: Console, kept: list[KeptRun]) -> None:
    """Print a line for each run; on a terminal, long paths are folded."""
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
    if not console.file.isatty():  # whole lines for `grep` and `awk`
        options = console.options.update(max_width=_LONGEST_LINE)
        console.width = max(console.width, Measurement.get(console, options, table).maximum)
    console.print(table)


def check_json(json: str | None) -> None:
    """Refuse a place where the JSON would destroy the store."""
    if json is not None:
        check_destination("--json", json, database_path(), "where the runs are kept")


def write_json(place: str, document: Document) -> None:
    """Write a document to a file, or to stdout."""
    write_result("--json", place, document.to_text().encode("ascii"))
