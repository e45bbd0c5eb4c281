"""`afterburner-agent sandbox run FILE`: one program in the sandbox, and its verdict as the exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.sandbox.commands.run_report import document, print_outcome, told_case
from afterburner.sandbox.commands.run_request import CheckerName, read_request
from afterburner.sandbox.docker_settings import DockerOptions
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.opening import open_sandbox
from afterburner.sandbox.scrubbing import scrub_bytes
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import STDOUT, check_destination, write_result
from afterburner.sandbox.terminal.options import above_zero, filled, json_option, read_size
from afterburner.sandbox.terminal.streams import abandon, write_all
from afterburner.sandbox.types import Limits, Verdict

if TYPE_CHECKING:
    from afterburner.sandbox.commands.run_request import Request
    from afterburner.sandbox.types import CaseReport, Report

_DEFAULTS = Limits()
_KIB = 1 << 10
_LEAST_MEMORY, _MOST_MEMORY = 1 << 20, 1 << 40
_LEAST_OUTPUT, _MOST_OUTPUT = 1, 1 << 32


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The program.", show_default=False, callback=filled)],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGUMENT...]", help="The program's arguments.")
    ] = None,
    *,
    language: Annotated[
        str | None, typer.Option(metavar="NAME", callback=filled, help="The language. Default: by FILE's suffix.")
    ] = None,
    stdin: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", callback=filled, help="The program's input; - is the command's own stdin."),
    ] = None,
    expect: Annotated[str | None, typer.Option(metavar="FILE", callback=filled, help="The expected output.")] = None,
    checker: Annotated[
        CheckerName | None, typer.Option(case_sensitive=False, help="How to compare with --expect. Default: lines.")
    ] = None,
    memory: Annotated[str, typer.Option(metavar="SIZE", help="The most memory.")] = "1G",
    wall: Annotated[
        float, typer.Option(metavar="S", callback=above_zero, help="The most wall time, seconds.")
    ] = _DEFAULTS.wall_time_s,
    cpu: Annotated[
        float, typer.Option(metavar="S", callback=above_zero, help="The most CPU time, seconds.")
    ] = _DEFAULTS.cpu_time_s,
    output_limit: Annotated[str, typer.Option(metavar="SIZE", help="The most stdout and stderr together.")] = "16M",
    repeat: Annotated[int, typer.Option(metavar="N", min=1, max=10_000, help="How often to run it.")] = 1,
    backend: Annotated[
        str,
        typer.Option(
            "--sandbox", metavar="NAME", callback=filled, help="auto, bubblewrap, docker, or the http:// of a service."
        ),
    ] = "auto",
    image: Annotated[
        str | None, typer.Option(metavar="NAME", callback=filled, help="With --sandbox docker: the image.")
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            callback=filled,
            help="The Python interpreter. Default: VIRTUAL_ENV, then a .venv beside FILE.",
        ),
    ] = None,
    json: Annotated[str | None, json_option()] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no report on stderr.")] = False,
) -> None:
    """Run a program in the sandbox, judge its output and measure it.

    stdout is what the program prints; the report is on stderr. Exit code 0: accepted, 1: any other verdict.
    """
    limits = Limits(
        wall_time_s=wall,
        cpu_time_s=cpu,
        memory_kib=read_size("--memory", memory, _LEAST_MEMORY, _MOST_MEMORY) // _KIB,
        output_bytes=read_size("--output-limit", output_limit, _LEAST_OUTPUT, _MOST_OUTPUT),
    )
    request = read_request(
        file,
        tuple(arguments or ()),
        language=language,
        stdin=stdin,
        expect=expect,
        checker=checker,
        limits=limits,
        repeat=repeat,
        python=python,
        backend=backend,
    )
    if json is not None:
        check_destination("--json", json, request.file, "the program")
    if image is not None and backend != "docker":
        raise UsageError("--image is for --sandbox docker.")
    report = _carry_out(request, backend, image)
    _deliver(request, report, json, quiet=quiet)
    raise typer.Exit(0 if report.verdict is Verdict.ACCEPTED else 1)


def _carry_out(request: Request, backend: str, image: str | None) -> Report:
    """Runs it on a core of its own, waiting for one that no other sandbox of this user's uses."""
    docker = None
    if image is not None:
        docker = DockerOptions(images={request.program.language: image})
    with open_sandbox(backend, docker=docker) as sandbox:
        (report,) = sandbox.run_many([request.task(sandbox)])
    return report


def _deliver(request: Request, report: Report, json: str | None, *, quiet: bool) -> None:
    if json is not None:
        write_result("--json", json, document(request, report).to_text().encode("ascii"))
    case = told_case(report)
    if report.verdict is not Verdict.COMPILE_ERROR:  # then these are the compiler's words
        try:
            _pass_on(case, stdout=json != STDOUT)
        except BrokenPipeError:
            raise
        except OSError as error:  # a full disk
            abandon(sys.stdout)
            raise UsageError(f"stdout cannot be written: {error.strerror}.") from error
    if not quiet:
        print_outcome(open_console(sys.stderr), request, report)


def _pass_on(case: CaseReport, *, stdout: bool) -> None:
    """Gives out what the program printed: to a terminal what is safe to show, elsewhere byte for byte."""
    if stdout and sys.stdout.isatty():
        sys.stdout.write(_as_lines(scrub_bytes(case.stdout)))
    elif stdout:
        write_all(sys.stdout.buffer, case.stdout)
    sys.stdout.flush()
    sys.stderr.write(_as_lines(case.stderr))
    sys.stderr.flush()


def _as_lines(text: str) -> str:
    return text if text == "" or text.endswith("\n") else f"{text}\n"
