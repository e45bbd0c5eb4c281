"""Rewrite a slow function or program, and prove that the rewrite is correct and better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from afterburner.agent.cli import loaded_late
from afterburner.agent.cli.completions import complete_function
from afterburner.agent.cli.from_options import takes_settings
from afterburner.agent.cli.many_settings import settings_for_many
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
from afterburner.agent.cli.settings import Layer, SettingsCommand, origin_of
from afterburner.agent.code.read_file import read_bytes
from afterburner.agent.options import RunSettings  # noqa: TC001 - the parser reads the annotation
from afterburner.sandbox.terminal.options import filled
from afterburner.sandbox.terminal.text import display_path

_WHAT, _OUT = "What to optimise", "What to write"
_REPLAY = "replay:"  # before the name of a recording, as a model


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
            help="python SCRIPT.py …, python -m MODULE … or pytest …: profiled to find many targets.",
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
            autocompletion=complete_function,
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
    read = {"--calls": settings.inputs.calls, "--cases": settings.inputs.cases}
    outputs.check_sources({**read, **_recordings(settings.models.model)})
    settings = replace(settings, inputs=replace(settings.inputs, left_out=outputs.files()))
    style = style_of(progress, quiet=quiet)
    is_many = command or Path(file).is_dir()
    if is_many or (top is not None and origin_of(context, "top").layer is Layer.COMMAND_LINE):
        settings = settings_for_many(settings, top, tuple(command or ()), outputs)
        settings = replace(settings, batch=replace(settings.batch, jobs=jobs))
        with show_beginning(Path(file).resolve().name, style):
            run_many = loaded_late.run_many
        run_many(settings, outputs, style)
        return
    outputs.check(Path(file))
    read_bytes(Path(file))  # a mistyped name is told before anything is shown as begun
    if settings.inputs.calls and not Path(settings.inputs.calls).exists():
        read_bytes(Path(settings.inputs.calls))  # likewise
    with show_beginning(f"{function} in {display_path(file)}" if function else display_path(file), style):
        run_one = loaded_late.run_one
    run_one(settings, outputs, style)


def _recordings(model: str) -> dict[str, str]:
    """The files that a chain of models reads its answers from, each by what it is named with."""
    names = (name.strip() for name in model.split(","))
    return {name: name.removeprefix(_REPLAY) for name in names if name.startswith(_REPLAY)}


app = typer.Typer(add_completion=False)
app.command(cls=SettingsCommand)(run)
