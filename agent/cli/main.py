"""`afterburner-agent`: the root command, and what errors and interrupts of any command look like to a person."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from importlib.metadata import version
from typing import Annotated, Protocol, runtime_checkable

import typer

from afterburner.agent.cli.interrupts import INTERRUPTED, raise_on_signals, show_cursor
from afterburner.agent.cli.plugins import CommandGroup
from afterburner.agent.cli.welcome import welcome
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.form_mistakes import plainly
from afterburner.sandbox.terminal.streams import abandon
from afterburner.sandbox.terminal.text import harden_streams, scrub, scrub_line

PROGRAM = "afterburner-agent"
DEBUG_VARIABLE = "AFTERBURNER_DEBUG"
FAILED = 1
NO_SANDBOX = 3

app = typer.Typer(
    name=PROGRAM,
    cls=CommandGroup,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@runtime_checkable
class _UsageProblem(Protocol):
    """What typer raises for a wrong command line; the class itself moves between typer's versions."""

    exit_code: int

    def format_message(self) -> str: ...


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{PROGRAM} {version(PROGRAM)}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Rewrites code so that it runs faster or leaner, and proves it in a sandbox."""
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"
    if context.invoked_subcommand is None:
        typer.echo(welcome(os.curdir))
        raise typer.Exit


def main() -> int:
    """Run the command line and give the exit code; the entry point of `afterburner-agent`."""
    harden_streams()
    if sys.platform == "win32":
        _say("error: Windows has no sandbox that this program can use. Run it inside WSL 2.")
        return NO_SANDBOX
    os.environ.pop("LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD", None)  # prints prompts and answers where the report goes
    if not sys.warnoptions and not _debugging():
        warnings.simplefilter("ignore")  # what libraries warn their developers of
    interrupted = raise_on_signals()
    try:
        code = _carry_out()
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):  # Abort is what older versions of typer make of Ctrl-C
        code = INTERRUPTED
    except BrokenPipeError:
        code = FAILED
    except Exception as error:  # noqa: BLE001 - the last resort: nobody sees a traceback unasked
        code = INTERRUPTED if interrupted() else _explain(error)
    if code == INTERRUPTED:
        show_cursor()
        _say("interrupted")
    _give_up_broken_streams()
    if code == INTERRUPTED:
        os._exit(code)  # everything is unwound; a thread that waits for a model must not hold the terminal
    return code


def _carry_out() -> int:
    return int(typer.main.get_command(app).main(prog_name=PROGRAM, standalone_mode=False) or 0)


def _explain(error: Exception) -> int:
    """Say what went wrong in one line and give the exit code."""
    if isinstance(error, AfterburnerError):
        _say(f"error: {scrub(str(error))}")
        return error.exit_code
    if isinstance(error, _UsageProblem):
        message = plainly(scrub_line(error.format_message())).rstrip(".")
        _say(f"error: {message if message.endswith('?') else f'{message}.'}{_help_hint(error)}")
        return error.exit_code
    _say(
        f"error: unexpected {type(error).__name__}: {scrub_line(str(error))}. This is a bug of {PROGRAM}: please "
        f"report it with what the same command prints when {DEBUG_VARIABLE}=1 is set."
    )
    return FAILED


def _help_hint(error: _UsageProblem) -> str:
    context = getattr(error, "ctx", None)
    return f" Try '{context.command_path} --help'." if context else ""


def _debugging() -> bool:
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


def _say(line: str) -> None:
    """Print a line to stderr, with the traceback of the exception at hand where debugging was asked for."""
    try:
        if _debugging() and sys.exception() is not None:
            traceback.print_exc()
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()
    except OSError:
        return  # nobody is left to tell


def _give_up_broken_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            abandon(stream)
