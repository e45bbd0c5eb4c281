"""`afterburner-agent resume RUN`: goes on with a run that was interrupted, or tells a finished one's result again."""

from __future__ import annotations

from typing import Annotated

import typer

from afterburner.agent.cli import loaded_late
from afterburner.agent.cli.completions import complete_run
from afterburner.agent.cli.outputs import (
    COUNTEREXAMPLE_HELP,
    GROWTH_HELP,
    HTML_HELP,
    JSON_HELP,
    PATCH_HELP,
    Outputs,
    destination_option,
)
from afterburner.agent.cli.progress import ProgressStyle, progress_option, quiet_option, show_beginning, style_of
from afterburner.sandbox.terminal.options import above_zero_if_given, filled

_OUT = "What to write (without any of these: what the run was started with)"


def resume(
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
    *,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            callback=above_zero_if_given,
            help="A larger time budget for the whole run, including the time already used.",
            show_default="that of before",
        ),
    ] = None,
    apply: Annotated[
        bool | None,
        typer.Option("--apply/--no-apply", help="Write the rewrite to the file.", rich_help_panel=_OUT),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --apply: do not ask before writing.", rich_help_panel=_OUT)
    ] = False,
    patch: Annotated[str | None, destination_option(PATCH_HELP, _OUT)] = None,
    json: Annotated[str | None, destination_option(JSON_HELP, _OUT)] = None,
    receipt: Annotated[
        str | None, destination_option("Write a receipt to FILE, if the run was started with --receipt.", _OUT)
    ] = None,
    growth_svg: Annotated[str | None, destination_option(GROWTH_HELP, _OUT)] = None,
    html: Annotated[str | None, destination_option(HTML_HELP, _OUT)] = None,
    counterexample: Annotated[str | None, destination_option(COUNTEREXAMPLE_HELP, _OUT)] = None,
    progress: Annotated[ProgressStyle, progress_option(_OUT)] = ProgressStyle.TEXT,
    quiet: Annotated[bool, quiet_option(_OUT)] = False,
) -> None:
    """Continue an interrupted run where it stopped.

    Of a finished run the result is told again, and nothing is measured: with --apply its rewrite is written.
    """
    given = Outputs(
        patch=patch, json=json, receipt=receipt, growth_svg=growth_svg, html=html, counterexample=counterexample
    )
    style = style_of(progress, quiet=quiet)
    with show_beginning(f"run {run}", style):
        resume_stored = loaded_late.resume_stored
    resume_stored(run, given, style, max_seconds=max_seconds, apply=apply, yes=yes)
