"""The command `train data`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from afterburner.agent.types import Objective
from afterburner.evals.commands.needs import needing_extra
from afterburner.sandbox.terminal.text import display_path, scrub_line
from afterburner.training.data.settings import DataSettings, Recipe

_FROM, _WHAT = "From what", "What to build"


def data(
    recipe: Annotated[Recipe, typer.Argument(help="Which data set.", show_default=False)],
    *,
    benchmark: Annotated[
        Path,
        typer.Option(
            "--from",
            metavar="DIR",
            help="A benchmark of eval build, whose solutions were measured.",
            show_default=False,
            rich_help_panel=_FROM,
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where it is written.", show_default=False)],
    split: Annotated[
        str, typer.Option(metavar="NAME", help="Which of its problems to train on.", rich_help_panel=_FROM)
    ] = "train",
    held_out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="Evaluation problems, a benchmark or a file: they and near-duplicates are excluded. Repeat the option "
            "for more. The split test of --from is always excluded.",
            show_default=False,
            rich_help_panel=_FROM,
        ),
    ] = None,
    objective: Annotated[
        list[Objective] | None,
        typer.Option(
            help="Of the prompts; repeat the option for more. Default: all.", show_default=False, rich_help_panel=_WHAT
        ),
    ] = None,
    examples: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Maximum examples per problem and objective. Default: about as many as the paper has.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = None,
    least_gap: Annotated[
        float,
        typer.Option(
            metavar="RATIO",
            help="The least ratio between the figures of a worse and a better solution.",
            rich_help_panel=_WHAT,
        ),
    ] = 1.2,
    tell: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="Which facts about the original the prompts include; see run --tell.",
            rich_help_panel=_WHAT,
        ),
    ] = "paper",
    seed: Annotated[int, typer.Option(metavar="N", help="Seed for all random choices.", rich_help_panel=_WHAT)] = 0,
) -> None:
    """Build a data set for training from problems whose human solutions were measured.

    Writes DIR/train.parquet, which TRL takes as it is, DIR/card.json, and the card as DIR/README.md.
    """
    settings = DataSettings(recipe, tuple(objective or Objective), examples, least_gap, tell, seed)
    with needing_extra():
        from afterburner.training.data.building import build_data
        from afterburner.training.data.contamination import HeldOut
        from afterburner.training.data.sources import held_out_problems, problems_of

        others = HeldOut()
        others.add(held_out_problems(benchmark, split, held_out or ()))
        card = build_data(problems_of(benchmark, split), settings, others, out, source=str(benchmark))
    for line in others.unreadable:
        sys.stderr.write(f"{scrub_line(f'not held out, for it cannot be read: {line}')}\n")
    for line in card.left_out:
        sys.stderr.write(f"{scrub_line(f'left out: {line}')}\n")
    typer.echo(f"{sum(card.examples.values()):,} examples of {card.problems:,} problems in {display_path(str(out))}")
