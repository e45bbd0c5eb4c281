"""The command `train data`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from afterburner.agent.types import Objective
from afterburner.agent.wording import count
from afterburner.evals.commands.needs import needing_extra
from afterburner.sandbox.terminal.text import display_path, scrub_line
from afterburner.training.data.settings import DataSettings, Recipe

_FROM, _WHAT = "Source", "Contents"


def data(
    recipe: Annotated[
        Recipe, typer.Argument(help="Data set to build; train collect builds cold-start.", show_default=False)
    ],
    *,
    benchmark: Annotated[
        Path,
        typer.Option(
            "--from",
            metavar="DIR",
            help="Benchmark that eval build made.",
            show_default=False,
            rich_help_panel=_FROM,
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder.", show_default=False)],
    split: Annotated[
        str, typer.Option(metavar="NAME", help="Split of the benchmark to train on.", rich_help_panel=_FROM)
    ] = "train",
    held_out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="PATH",
            help="Benchmark or file of evaluation problems to exclude, with near-duplicates. Repeat for more. The test "
            "split of --from is always excluded.",
            show_default=False,
            rich_help_panel=_FROM,
        ),
    ] = None,
    objective: Annotated[
        list[Objective] | None,
        typer.Option(
            help="Objective in the prompts; repeat for more. Default: all.", show_default=False, rich_help_panel=_WHAT
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
            help="Minimum ratio of the worse solution's figure to the better one's.",
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

    Writes train.parquet, which TRL reads as is, card.json and README.md (the card) to --out.
    """
    settings = DataSettings(recipe, tuple(objective or Objective), examples, least_gap, tell, seed)
    with needing_extra():
        from afterburner.evals.datasets.built import missing_note
        from afterburner.training.data.building import build_data
        from afterburner.training.data.contamination import HeldOut
        from afterburner.training.data.sources import held_out_problems, problems_of

        others = HeldOut()
        others.add(held_out_problems(benchmark, split, held_out or ()))
        problems = problems_of(benchmark, split)
        if caution := missing_note(benchmark, split):
            sys.stderr.write(f"caution: {scrub_line(caution)}\n")
        card = build_data(problems, settings, others, out, source=str(benchmark), caution=caution)
    for line in others.unreadable:
        sys.stderr.write(f"{scrub_line(f'not held out, because it cannot be read: {line}')}\n")
    for line in card.left_out:
        sys.stderr.write(f"{scrub_line(f'left out: {line}')}\n")
    found = f"{count(sum(card.examples.values()), 'example')} from {count(card.problems, 'problem')}"
    typer.echo(f"{found} in {display_path(str(out))}")
