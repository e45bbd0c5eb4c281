"""`afterburner-agent selfcheck`: how far measurements on this machine can be trusted, and what follows from it."""

from __future__ import annotations

import sys
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.agent.cli.progress import plain_progress, quiet_option
from afterburner.agent.cli.selfcheck_document import document_of
from afterburner.agent.cli.selfcheck_report import print_findings
from afterburner.agent.progress_lines import line_of
from afterburner.agent.selfcheck.check import SelfCheck, keep
from afterburner.sandbox import open_sandbox
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import STDOUT, check_destination, write_result
from afterburner.sandbox.terminal.options import above_zero, filled
from afterburner.sandbox.terminal.streams import is_live

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.events import OnEvent

DECISIONS = 60
MAX_SECONDS = 150.0
FALSE_ACCEPT = 1  # the exit code


def selfcheck(
    *,
    max_seconds: Annotated[
        float,
        typer.Option(metavar="S", callback=above_zero, help="Time budget, seconds; work that has begun is finished."),
    ] = MAX_SECONDS,
    trials: Annotated[int, typer.Option(metavar="N", min=1, help="The most decisions on identical code.")] = DECISIONS,
    json: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", callback=filled, help="Write the findings as JSON to FILE; - is stdout."),
    ] = None,
    quiet: Annotated[bool, quiet_option()] = False,
) -> None:
    """Test the judge on this machine: identical code must not win.

    Sets the default of run's --min-effect from the noise that it finds. Exit code 0: no identical code was accepted, 1:
    some was.
    """
    if json is not None:
        check_destination("--json", json, Path(__file__), "a file of this program")
    interrupted = False
    with _progress(quiet=quiet) as on_event, open_sandbox("auto") as sandbox:
        check = SelfCheck(sandbox, max_seconds, trials, on_event)
        try:
            check.run()
        except KeyboardInterrupt:
            interrupted = True
    findings = check.findings()
    stored = None if interrupted else keep(findings)
    console = open_console(sys.stderr if json == STDOUT else sys.stdout)
    print_findings(console, findings, stored, interrupted=interrupted)
    if json is not None:
        write_result("--json", json, document_of(findings, stored, interrupted=interrupted).to_text().encode("ascii"))
    if interrupted:
        raise KeyboardInterrupt
    if findings.false_accepts:
        raise typer.Exit(FALSE_ACCEPT)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[OnEvent]:
    """Progress on stderr: one line that is redrawn on a terminal, a line for each event elsewhere."""
    with redirect_stdout(sys.stderr):
        if quiet:
            yield lambda _event: None
        elif is_live(sys.stderr):
            with open_console(sys.stderr).status("starting") as status:
                yield lambda event: status.update(f"{event.stage}: {line_of(event)}")
        else:
            with plain_progress() as tell:
                yield tell
