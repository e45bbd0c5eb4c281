"""The command `eval build`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from afterburner.evals.commands.needs import needing_extra
from afterburner.evals.commands.run import QUIET, SANDBOX

_RECIPE, _WHICH, _OUT, _WHERE = "The recipe", "Which problems", "What to write", "Where it runs"


def build(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A file or folder of raw problems with human solutions, laid out as Venus.",
            show_default=False,
        ),
    ],
    *,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where the benchmark is stored.", rich_help_panel=_OUT)
    ],
    language: Annotated[
        str, typer.Option(metavar="NAME", help="Of the solutions, such as cpp.", rich_help_panel=_WHICH)
    ] = "python",
    only: Annotated[
        str,
        typer.Option(metavar="IDS", help="Only these problems: ids or titles, with commas.", rich_help_panel=_WHICH),
    ] = "",
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the first N problems.", rich_help_panel=_WHICH)
    ] = None,
    cases: Annotated[
        int, typer.Option(metavar="N", help="The most public cases of a problem.", rich_help_panel=_RECIPE)
    ] = 100,
    private_cases: Annotated[
        int, typer.Option(metavar="N", help="The most private cases of a problem.", rich_help_panel=_RECIPE)
    ] = 100,
    least_solutions: Annotated[
        int,
        typer.Option(metavar="N", help="Leave out a problem that fewer solutions pass.", rich_help_panel=_RECIPE),
    ] = 16,
    most_solutions: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Take N solutions of a problem that has more, short and long ones. Default: all.",
            rich_help_panel=_RECIPE,
        ),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(metavar="N", help="Measure each solution N times on the public cases.", rich_help_panel=_RECIPE),
    ] = 3,
    private_repeats: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Measure each solution N times on the private cases. Default: as --repeats.",
            rich_help_panel=_RECIPE,
        ),
    ] = None,
    case_seconds: Annotated[
        float,
        typer.Option(metavar="SECONDS", help="What a human solution may take for one case.", rich_help_panel=_RECIPE),
    ] = 10.0,
    generator_seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="What a generator may take, each time it is run.", rich_help_panel=_RECIPE
        ),
    ] = 60.0,
    test_share: Annotated[
        float,
        typer.Option(metavar="SHARE", help="How many of the problems are for testing.", rich_help_panel=_RECIPE),
    ] = 0.25,
    seed: Annotated[int, typer.Option(metavar="N", help="Of all random choices.", rich_help_panel=_RECIPE)] = 42,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Programs side by side where nothing is timed. Default: one on each core.",
            rich_help_panel=_WHERE,
        ),
    ] = None,
    note: Annotated[
        str,
        typer.Option(metavar="TEXT", help="Where the problems come from, and their licence.", rich_help_panel=_OUT),
    ] = "",
    sandbox: Annotated[str, SANDBOX] = "auto",
    quiet: Annotated[bool, QUIET] = False,
) -> None:
    """Build a benchmark from raw problems and human solutions, and measure it on this machine.

    Run the same command again to go on after an interruption.
    """
    with needing_extra():
        from afterburner.evals.commands.building import carry_out
        from afterburner.evals.recipe.build import BuildRequest
        from afterburner.evals.recipe.settings import RecipeSettings

        settings = RecipeSettings(
            language=language,
            cases=cases,
            private_cases=private_cases,
            least_solutions=least_solutions,
            most_solutions=most_solutions,
            repeats=repeats,
            private_repeats=repeats if private_repeats is None else private_repeats,
            case_seconds=case_seconds,
            generator_seconds=generator_seconds,
            test_share=test_share,
            seed=seed,
        )
        chosen = frozenset(each.strip() for each in only.split(",") if each.strip())
        carry_out(BuildRequest(source, out, settings, chosen, limit, jobs, note), sandbox, quiet=quiet)
