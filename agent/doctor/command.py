"""Check what works on this machine, and show how to fix the rest."""

from __future__ import annotations

import sys
from contextlib import closing, contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from afterburner.agent.doctor.document import DoctorDocument
from afterburner.agent.doctor.floors import floor_checks
from afterburner.agent.doctor.shown import shown_checks
from afterburner.sandbox.commands.checks import PYTHON_RUNS, SANDBOX, Check, Status, sandbox_checks
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import write_result
from afterburner.sandbox.terminal.options import json_option
from afterburner.sandbox.terminal.streams import is_live
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console


_UNUSABLE = 3
_OPTIONAL = "Optional; install what you need:"
_STYLES = {"ok": "green", "missing": "yellow", "broken": "bold red"}


def doctor(*, json: Annotated[str | None, json_option()] = None) -> None:
    """Check what works on this machine, and show how to fix the rest.

    Starts containers and runs a program of each language in the sandbox. Exit code 0: the sandbox can run Python; 3: it
    cannot.
    """
    checks = _look()
    usable = any(check.name == PYTHON_RUNS and check.status is Status.OK for check in checks)
    if json is not None:
        write_result("--json", json, DoctorDocument(usable=usable, checks=checks).to_text().encode("ascii"))
    else:
        _show(shown_checks(checks), first_step=None if usable else _first_step(checks))
    raise typer.Exit(0 if usable else _UNUSABLE)


def _look() -> list[Check]:
    checks: list[Check] = []
    with _status() as tell, closing(sandbox_checks()) as of_sandbox:
        for name, look in chain(of_sandbox, floor_checks()):
            tell(name)
            checks += _safely(name, look)
    return checks


def _safely(name: str, look: Callable[[], list[Check]]) -> list[Check]:
    """What one check finds; a machine odd enough to break it must not hide what the others found."""
    try:
        return look()
    except Exception as error:  # noqa: BLE001 - it is told as what was found
        said = f"this check failed: {type(error).__name__}: {error}"
        return [Check(name, Status.BROKEN, said, "Please report this with what AFTERBURNER_DEBUG=1 shows for `run`.")]


def _first_step(checks: list[Check]) -> str:
    """What mends the sandbox: what to do about bubblewrap, or, where that works, about what failed first."""
    not_ok = {check.name: check for check in checks if check.status is not Status.OK}
    first = next((not_ok[name] for name in ("bubblewrap", "meter", SANDBOX, PYTHON_RUNS) if name in not_ok), None)
    return scrub_line(first.advice) if first is not None else "See above."


@contextmanager
def _status() -> Iterator[Callable[[str], None]]:
    """On a terminal, tells what is being looked at: some compilers take seconds."""
    if not is_live(sys.stderr):
        yield lambda _name: None
        return
    with open_console(sys.stderr).status("looking") as status:
        yield lambda name: status.update(f"looking: {name}")


def _show(checks: list[Check], *, first_step: str | None) -> None:
    """Print the checks and what follows from them; without a `first_step` to take, the sandbox works."""
    usable = first_step is None
    conclusion = _works(checks) if usable else f"No sandbox can run Python here. {first_step}"
    optional = [check for check in checks if usable and check.status is Status.MISSING]
    main = [check for check in checks if check not in optional]
    if not sys.stdout.isatty():
        _write_lines(main)
        if optional:
            sys.stdout.write(f"\n{_OPTIONAL}\n")
            _write_lines(optional)
            sys.stdout.write("\n")
        sys.stdout.write(f"{conclusion}\n")
        return
    console = open_console(sys.stdout)
    _print_table(console, main)
    if optional:
        console.print(f"\n{_OPTIONAL}", style="bold")
        _print_table(console, optional)
        console.print()
    console.print(conclusion, style="bold green" if usable else "bold red")


def _works(checks: list[Check]) -> str:
    """What one can do here, and what is broken all the same."""
    broken = ", ".join(check.name for check in checks if check.status is Status.BROKEN)
    next_step = "afterburner-agent run FILE.py looks for a faster rewrite, and proves it."
    return f"The sandbox works: {next_step}{f' Broken, as told above: {broken}.' if broken else ''}"


def _write_lines(checks: list[Check]) -> None:
    for check in checks:
        advice = f" -> {scrub_line(check.advice)}" if check.advice else ""
        sys.stdout.write(f"{check.status:8}{check.name}: {scrub_line(check.found)}{advice}\n")


def _print_table(console: Console, checks: list[Check]) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        told = Text(scrub_line(check.found))
        if check.advice:
            told.append(f"\n{scrub_line(check.advice)}", style="dim")
        table.add_row(Text(check.status.value, style=_STYLES[check.status.value]), check.name, told)
    console.print(table)
