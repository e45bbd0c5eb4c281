"""Rewrite a slow function or program, and prove that the rewrite is correct and better."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.agent.cli.deliver import deliver
from afterburner.agent.cli.from_options import takes_settings
from afterburner.agent.cli.many import run_many
from afterburner.agent.cli.outputs import (
    COUNTEREXAMPLE_HELP,
    GROWTH_HELP,
    HTML_HELP,
    JSON_HELP,
    PATCH_HELP,
    Outputs,
    destination_option,
)
from afterburner.agent.cli.progress import ProgressStyle, progress_option, quiet_option, show_progress, style_of
from afterburner.agent.cli.resume_hint import say_how_to_resume
from afterburner.agent.cli.settings import Layer, SettingsCommand, origin_of
from afterburner.agent.options import RunSettings  # noqa: TC001 - the parser reads the annotation
from afterburner.agent.session.from_settings import job_of, session_for
from afterburner.sandbox.terminal.options import filled

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult

_WHAT, _OUT = "What to optimise", "What to write"


@takes_settings
def run(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE|DIR",
            help="A Python file; with --cases, a program in any language; a folder: its hottest functions.",
            show_default=False,
            callback=filled,
        ),
    ],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND…]",
            help="python SCRIPT.py … or python -m MODULE …, profiled instead of the tests to find many targets.",
            show_default=False,
        ),
    ] = None,
    *,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="How many functions to work through, those that could save the most first. For a DIR: 10.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="How many functions to work on at a time. Default: one for each usable CPU, at most 8.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = None,
    function: Annotated[
        str | None,
        typer.Option(
            "--function",
            "-f",
            metavar="NAME",
            callback=filled,
            help="The function, or Class.method. Default: the one that uses the most CPU time (or memory).",
            rich_help_panel=_WHAT,
        ),
    ] = None,
    settings: RunSettings,
    apply: Annotated[bool, typer.Option("--apply", help="Write the rewrite to FILE.", rich_help_panel=_OUT)] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --apply: do not ask before writing.", rich_help_panel=_OUT)
    ] = False,
    patch: Annotated[str | None, destination_option(PATCH_HELP, _OUT)] = None,
    json: Annotated[str | None, destination_option(JSON_HELP, _OUT)] = None,
    receipt: Annotated[
        str | None,
        destination_option("Write a receipt to FILE, from which replay-receipt measures the offer again.", _OUT),
    ] = None,
    growth_svg: Annotated[str | None, destination_option(GROWTH_HELP, _OUT)] = None,
    html: Annotated[str | None, destination_option(HTML_HELP, _OUT)] = None,
    counterexample: Annotated[str | None, destination_option(COUNTEREXAMPLE_HELP, _OUT)] = None,
    progress: Annotated[ProgressStyle, progress_option(_OUT)] = ProgressStyle.TEXT,
    quiet: Annotated[bool, quiet_option(_OUT)] = False,
) -> None:
    """Rewrite a slow function or program, and prove that the rewrite is correct and better.

    Nothing is written to FILE without --apply.
    """
    proof = replace(settings.proof, receipt=receipt is not None, counterexample=counterexample is not None)
    if proof.min_effect is not None:
        proof = replace(proof, min_effect_source=origin_of(context, "min_effect").place)
    settings = replace(settings, function=function, proof=proof)
    outputs = Outputs(
        apply=apply,
        yes=yes,
        patch=patch,
        json=json,
        receipt=receipt,
        growth_svg=growth_svg,
        html=html,
        counterexample=counterexample,
        record=settings.models.record,
    )
    style = style_of(progress, quiet=quiet)
    is_many = command or Path(file).is_dir()
    if is_many or (top is not None and origin_of(context, "top").layer is Layer.COMMAND_LINE):
        settings = replace(settings, batch=replace(settings.batch, jobs=jobs))
        run_many(settings, top, tuple(command or ()), outputs, style)
        return
    outputs.check(Path(file))
    deliver(carry_out(settings, outputs, style), settings, outputs)


def carry_out(settings: RunSettings, outputs: Outputs, style: ProgressStyle) -> RunResult:
    """Carry out the run and show its progress."""
    begun: list[str] = []
    with say_how_to_resume(begun), show_progress(settings, style) as on_event, session_for(settings) as session:
        return session.optimize(
            job_of(settings), settings.search, on_event=on_event, outputs=asdict(outputs), on_begun=begun.append
        )


app = typer.Typer(add_completion=False)
app.command(cls=SettingsCommand)(run)
