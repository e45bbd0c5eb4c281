"""`afterburner-agent compare BEFORE AFTER`: is the second version the same, and is it faster?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from afterburner.agent.cli import loaded_late
from afterburner.agent.cli.completions import complete_function
from afterburner.agent.cli.from_options import option_of
from afterburner.agent.cli.outputs import COUNTEREXAMPLE_HELP, HTML_HELP, JSON_HELP, Outputs, destination_option
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
from afterburner.agent.options import InputOptions, Proof, Search
from afterburner.agent.types import Objective
from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.options import filled
from afterburner.sandbox.terminal.text import display_path

REACHED = 5  # the exit code where --fail-on names the decision
_INPUTS, _OUT = "What to judge on", "What to write"


class FailOn(StrEnum):
    """The decisions that can end the command with an exit code of its own."""

    DIFFERENT = "different"
    CONDITIONAL = "conditional"
    SLOWER = "slower"
    SAME = "same"
    TOO_NOISY = "too_noisy"


def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="BEFORE|FILE", help="The old version, a whole file.", show_default=False, callback=filled
        ),
    ],
    after: Annotated[
        str | None,
        typer.Argument(metavar="[AFTER]", help="The new version, a whole file.", show_default=False),
    ] = None,
    *,
    base: Annotated[
        str | None,
        typer.Option(metavar="REV", callback=filled, help="Compare FILE with itself at this git revision."),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(metavar="REV", callback=filled, help="With --base: the other revision. Default: the disk."),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(
            "--function",
            "-f",
            metavar="NAME",
            autocompletion=complete_function,
            callback=filled,
            help="The function, or Class.method. Default: the one that differs, else the hottest.",
        ),
    ] = None,
    calls: Annotated[str | None, option_of(InputOptions, "calls", _INPUTS)] = None,
    cases: Annotated[
        str | None,
        option_of(
            InputOptions,
            "cases",
            _INPUTS,
            help_text="A folder of NAME.in and NAME.out: both files read stdin and write stdout.",
        ),
    ] = None,
    python: Annotated[str | None, option_of(InputOptions, "python", _INPUTS)] = None,
    environment: Annotated[EnvironmentKind, option_of(InputOptions, "environment", _INPUTS)] = EnvironmentKind.AUTO,
    environment_from: Annotated[str | None, option_of(InputOptions, "environment_from", _INPUTS)] = None,
    float_tolerance: Annotated[float | None, option_of(InputOptions, "float_tolerance", _INPUTS)] = None,
    assume: Annotated[list[str] | None, option_of(InputOptions, "assume", _INPUTS)] = None,
    objective: Annotated[Objective, option_of(Search, "objective", help_text="What to compare.")] = Objective.TIME,
    min_effect: Annotated[
        float | None,
        option_of(
            Proof,
            "min_effect",
            help_text="Differences below X count as the same. Default: what selfcheck found here, or 0.05.",
        ),
    ] = None,
    max_seconds: Annotated[
        float, option_of(Search, "max_seconds", help_text="Time budget, seconds.")
    ] = Search().max_seconds,
    seed: Annotated[int, option_of(Search, "seed")] = 0,
    fresh: Annotated[bool, option_of(Search, "fresh")] = False,
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="DECISIONS",
            help="End with exit code 5 on these decisions: some of different, conditional, slower, same and "
            "too_noisy, with commas.",
        ),
    ] = "",
    json: Annotated[str | None, destination_option(JSON_HELP, _OUT)] = None,
    receipt: Annotated[
        str | None,
        destination_option("Write a receipt to FILE, from which replay-receipt measures the comparison again.", _OUT),
    ] = None,
    html: Annotated[str | None, destination_option(HTML_HELP, _OUT)] = None,
    counterexample: Annotated[str | None, destination_option(COUNTEREXAMPLE_HELP, _OUT)] = None,
    progress: Annotated[ProgressStyle, progress_option(_OUT)] = ProgressStyle.TEXT,
    quiet: Annotated[bool, quiet_option(_OUT)] = False,
) -> None:
    """Compare two versions of a function: does the second do the same, and is it faster or slower?

    Two files, or FILE --base REV: two git revisions with their whole trees. Nothing is written to either.
    """
    failing = _failing(fail_on)
    outputs = Outputs(json=json, receipt=receipt, html=html, counterexample=counterexample)
    inputs = InputOptions(
        calls=calls,
        cases=cases,
        python=python,
        environment=environment,
        environment_from=environment_from,
        float_tolerance=float_tolerance,
        assume=tuple(assume or ()),
        left_out=outputs.files(),
    )
    jobs = _jobs(before, after, base, head, function, inputs)
    outputs.check_sources({"--calls": calls, "--cases": cases})
    outputs.check(Path(before), "a file that is compared", {Path(after or before): "a file that is compared"})
    style = style_of(progress, quiet=quiet)
    with show_beginning(_named(before, after, base, head), style):
        open_session, deliver = loaded_late.open_session, loaded_late.deliver_comparison
    with show_progress(None, style) as on_event:
        search = Search(objective=objective, max_seconds=max_seconds, seed=seed, fresh=fresh)
        proof = Proof(min_effect=min_effect, receipt=receipt is not None, counterexample=counterexample is not None)
        with open_session() as session:
            result = session.compare(*jobs, search, proof=proof, on_event=on_event)
    deliver(result, outputs)
    raise typer.Exit(REACHED if result.decision.value in failing else 0)


def _failing(fail_on: str) -> set[str]:
    names = {name.strip() for name in fail_on.split(",") if name.strip()}
    if unknown := sorted(names - set(FailOn)):
        raise UsageError(f"--fail-on: there is no decision {', '.join(unknown)}; there are {', '.join(FailOn)}.")
    return names


def _jobs(  # noqa: PLR0917 - what the command line says of the two versions
    before: str, after: str | None, base: str | None, head: str | None, function: str | None, inputs: InputOptions
) -> tuple[Job, Job]:
    if head is not None and base is None:
        raise UsageError("--head needs --base: the revision to compare with.")
    if after is not None and base is not None:
        raise UsageError("--base compares FILE with itself at a revision. Give AFTER or --base, not both.")
    if after is None and base is None:
        raise UsageError("Give two files, BEFORE and AFTER, or one FILE with --base REV.")
    if base is None:
        pair = Job.from_file(before, function=function, inputs=inputs)
        return pair, Job.from_file(after or "", function=function)
    old = Job.from_revision(before, base, function=function, inputs=inputs)
    return old, Job(before, function, revision=head or "")


def _named(before: str, after: str | None, base: str | None, head: str | None) -> str:
    """Both versions by what the user calls them."""
    file = display_path(before)
    return f"{file} and {display_path(after)}" if after is not None else f"{file} at {base} and {head or 'on disk'}"
