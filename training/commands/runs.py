"""The command `train runs`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from afterburner.agent.wording import count
from afterburner.evals.commands.needs import needing_extra
from afterburner.sandbox.terminal.text import display_path, scrub_line
from afterburner.training.runs.settings import RunDataSettings, RunRecipe

_FROM, _WHAT = "Source", "Contents"


def runs(
    recipe: Annotated[RunRecipe, typer.Argument(help="Data set to build.", show_default=False)],
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder.", show_default=False)],
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the store of runs. Default: the one that run uses.",
            show_default=False,
            rich_help_panel=_FROM,
        ),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Only runs on files in this folder.", show_default=False, rich_help_panel=_FROM
        ),
    ] = None,
    held_out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="Benchmark or file of evaluation problems to exclude, with near-duplicates. Repeat for more.",
            show_default=False,
            rich_help_panel=_FROM,
        ),
    ] = None,
    examples: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Maximum examples per run. Default: all; sft has one.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed for all random choices.", rich_help_panel=_WHAT)] = 0,
) -> None:
    """Build a data set for training from your own runs: what they proved, and what they refused.

    Writes train.parquet, which TRL reads as is, card.json and README.md (the card) to --out.
    """
    settings = RunDataSettings(recipe, examples, str(project) if project else "", seed)
    with needing_extra():
        from afterburner.training.data.contamination import HeldOut
        from afterburner.training.data.sources import evaluation_problems
        from afterburner.training.runs.building import build_run_data

        others = HeldOut()
        others.add(evaluation_problems(held_out or ()))
        card = build_run_data(store, settings, others, out)
    for line in others.unreadable:
        sys.stderr.write(f"{scrub_line(f'not held out, because it cannot be read: {line}')}\n")
    for line in card.left_out:
        sys.stderr.write(f"{scrub_line(f'left out: {line}')}\n")
    found = f"{count(sum(card.examples.values()), 'example')} from {count(card.problems, 'run')}"
    typer.echo(f"{found} in {display_path(str(out))}")
