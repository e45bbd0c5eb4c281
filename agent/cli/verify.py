"""`afterburner-agent verify FILE --against OTHER`: does a function of two files do the same?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from afterburner.agent.cli import loaded_late
from afterburner.agent.cli.completions import complete_function
from afterburner.agent.cli.from_options import option_of
from afterburner.agent.cli.outputs import COUNTEREXAMPLE_HELP, JSON_HELP, Outputs, destination_option
from afterburner.agent.cli.progress import (
    ProgressStyle,
    progress_option,
    quiet_option,
    show_beginning,
    show_progress,
    style_of,
)
from afterburner.agent.job.job import Job
from afterburner.agent.option_kinds import EnvironmentKind
from afterburner.agent.options import VERIFY_S, InputOptions, Search
from afterburner.sandbox.terminal.options import filled
from afterburner.sandbox.terminal.text import display_path

DIFFERENT = 1  # the exit code


def verify(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The file with the original.", show_default=False, callback=filled)
    ],
    *,
    against: Annotated[
        str,
        typer.Option(metavar="OTHER", callback=filled, help="Another whole file, which runs in place of FILE."),
    ],
    function: Annotated[
        str,
        typer.Option(
            "--function",
            "-f",
            metavar="NAME",
            autocompletion=complete_function,
            callback=filled,
            help="The function, or Class.method, in both files.",
        ),
    ],
    calls: Annotated[
        str | None,
        option_of(
            InputOptions, "calls", help_text="A Python file whose execution calls the function: inputs to start from."
        ),
    ] = None,
    python: Annotated[str | None, option_of(InputOptions, "python")] = None,
    environment: Annotated[EnvironmentKind, option_of(InputOptions, "environment")] = EnvironmentKind.AUTO,
    environment_from: Annotated[str | None, option_of(InputOptions, "environment_from")] = None,
    seed: Annotated[int, option_of(Search, "seed")] = 0,
    max_seconds: Annotated[float, option_of(Search, "max_seconds", help_text="Time budget, seconds.")] = VERIFY_S,
    fresh: Annotated[bool, option_of(Search, "fresh")] = False,
    float_tolerance: Annotated[float | None, option_of(InputOptions, "float_tolerance")] = None,
    assume: Annotated[list[str] | None, option_of(InputOptions, "assume")] = None,
    json: Annotated[str | None, destination_option(JSON_HELP)] = None,
    counterexample: Annotated[str | None, destination_option(COUNTEREXAMPLE_HELP)] = None,
    progress: Annotated[ProgressStyle, progress_option()] = ProgressStyle.TEXT,
    quiet: Annotated[bool, quiet_option()] = False,
) -> None:
    """Search for an input on which a function of two files differs.

    Inputs are found as for `run`, then changed and recombined. Exit code 0: no difference; 1: one was found.
    """
    outputs = Outputs(json=json, counterexample=counterexample)
    outputs.check_sources({"--calls": calls})
    outputs.check(Path(file), "the file with the original", {Path(against): "the other file"})
    style = style_of(progress, quiet=quiet)
    with show_beginning(f"{function} in {display_path(file)} and {display_path(against)}", style):
        open_session, deliver = loaded_late.open_session, loaded_late.deliver_verification
    with show_progress(None, style) as on_event:
        inputs = InputOptions(
            calls=calls,
            python=python,
            environment=environment,
            environment_from=environment_from,
            float_tolerance=float_tolerance,
            assume=tuple(assume or ()),
            left_out=outputs.files(),
        )
        original = Job.from_file(file, function=function, inputs=inputs)
        other = Job.from_file(against, function=function)
        with open_session() as session:
            search, writes_test = Search(seed=seed, max_seconds=max_seconds, fresh=fresh), counterexample is not None
            result = session.verify(original, other, search, writes_test=writes_test, on_event=on_event)
    deliver(result, outputs, seed=seed, float_tolerance=float_tolerance)
    raise typer.Exit(0 if result.agrees else DIFFERENT)
