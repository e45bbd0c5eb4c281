"""`--trace FILE` of every command that works: when each core, the sandbox and the models were at what."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from afterburner.agent.cli.trace_file import trace_bytes
from afterburner.sandbox import AfterburnerError, UsageError
from afterburner.sandbox.extras import install_command
from afterburner.sandbox.terminal.destinations import check_destination
from afterburner.sandbox.terminal.text import scrub_line
from afterburner.sandbox.tracing import Recorder, recording

SUFFIXES = (".pftrace", ".perfetto-trace")


def offer_trace(command: Any) -> None:
    """Give a command, or each command of a group, the option `--trace`."""
    members = getattr(command, "commands", None)
    for member in (members or {}).values():
        offer_trace(member)
    if members is None or command.params:  # a group with options of its own works by itself, too
        command.params.extend(_option())


def _option() -> list[Any]:
    """The option as typer makes it; its class differs between typer's versions."""

    def command(
        *,
        trace: Annotated[
            str | None,
            typer.Option(
                metavar="FILE",
                help="Write a trace of cores, sandbox, models and job steps to FILE; open it in ui.perfetto.dev.",
                expose_value=False,
                callback=_begin,
            ),
        ] = None,
    ) -> None:
        """Carry the option."""

    app = typer.Typer(add_completion=False)
    app.command()(command)
    return [each for each in typer.main.get_command(app).params if each.name == "trace"]


def _begin(context: typer.Context, _parameter: Any, place: str | None) -> None:
    """Record from now on, and write the trace when the command has ended, however it ends."""
    if place is None or context.resilient_parsing:
        return
    if not place.endswith(SUFFIXES):
        raise typer.BadParameter(f"{place}: the name must end in {SUFFIXES[0]}, so that no other file is overwritten.")
    check_destination("--trace", place, Path(sys.executable), "the interpreter")
    if find_spec("perfetto") is None:
        raise UsageError(f"--trace needs the package perfetto. Install it: {install_command('trace')}")
    trace = context.with_resource(recording())
    context.call_on_close(lambda: _write(trace, Path(place)))


def _write(trace: Recorder, place: Path) -> None:
    trace.finish()
    try:
        place.write_bytes(trace_bytes(trace))
    except OSError as error:
        raise AfterburnerError(
            f"--trace {place} cannot be written: {error.strerror or error}. Free some space, or name another file."
        ) from error
    sys.stderr.write(f"trace: {scrub_line(str(place))}; open it in https://ui.perfetto.dev\n")
