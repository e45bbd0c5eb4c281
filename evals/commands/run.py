"""The command `eval run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.agent import Caps
from afterburner.agent.cli.from_options import option_of
from afterburner.agent.option_kinds import Selection
from afterburner.agent.options import ModelOptions, Search
from afterburner.agent.types import Objective
from afterburner.evals.commands.needs import needing_extra, nothing_stored_yet
from afterburner.evals.running.settings import EvaluationSettings, Executor, Resources, Start

if TYPE_CHECKING:
    from afterburner.evals.running.folder import RunFolder

_WHAT, _HOW, _MODEL, _WHERE = "What to evaluate", "How", "The model", "Where it runs"
JOBS = typer.Option(
    "--jobs",
    metavar="N",
    min=1,
    help="Problems at a time. Default: the cores for programs, and two.",
    show_default=False,
    rich_help_panel=_WHERE,
)
EXECUTOR = typer.Option(
    "--executor",
    help="local: this machine; ray: the Ray cluster of --ray-address, or of this machine.",
    rich_help_panel=_WHERE,
)
RAY_ADDRESS = typer.Option(
    "--ray-address",
    metavar="ADDRESS",
    help="Of the cluster, such as auto or ray://head:10001. Default: a new one, here.",
    rich_help_panel=_WHERE,
)
SANDBOX = typer.Option(
    "--sandbox",
    metavar="BACKEND",
    help="auto, bubblewrap, docker or the address of a sandbox service.",
    rich_help_panel=_WHERE,
)
QUIET = typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel=_WHERE)
VERBOSE = typer.Option("--verbose", "-v", help="Print every step where stderr is no terminal.", rich_help_panel=_WHERE)


def run(
    *,
    dataset: Annotated[
        str,
        typer.Option(
            metavar="NAME|PATH",
            help="A name of eval datasets, a file, or a folder of eval build.",
            rich_help_panel=_WHAT,
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="A new folder for all that is measured.", rich_help_panel=_WHAT)
    ],
    source: Annotated[
        str,
        typer.Option(
            "--from", metavar="PATH", help="Where the named dataset lies. Default: on the hub.", rich_help_panel=_WHAT
        ),
    ] = "",
    split: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Of the dataset. Default: test; of a file, or of what eval build made: everything.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = "",
    configuration: Annotated[
        str, typer.Option(metavar="NAME", help="Of the dataset: a language, a level, a release.", rich_help_panel=_WHAT)
    ] = "",
    only: Annotated[str, typer.Option(metavar="ID,ID", help="These problems alone.", rich_help_panel=_WHAT)] = "",
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="The first N problems.", show_default=False, rich_help_panel=_WHAT),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="TEXT", help="What tables call the run. Default: the model.", rich_help_panel=_WHAT)
    ] = "",
    objective: Annotated[Objective, option_of(Search, "objective", _HOW)] = Objective.INTEGRAL,
    iterations: Annotated[
        int, typer.Option(metavar="N", min=1, help="Rounds of the loop after the first code.", rich_help_panel=_HOW)
    ] = 10,
    candidates: Annotated[int, option_of(Search, "candidates", _HOW)] = 1,
    generations: Annotated[
        int, typer.Option(metavar="N", min=1, help="Independent loops on each problem.", rich_help_panel=_HOW)
    ] = 4,
    repeats: Annotated[
        int, typer.Option(metavar="N", min=1, help="Measurements of each code that is scored.", rich_help_panel=_HOW)
    ] = 16,
    selection: Annotated[
        Selection,
        typer.Option(help="paper: Algorithm 1; verified: the product's, which proves each gain.", rich_help_panel=_HOW),
    ] = Selection.PAPER,
    start: Annotated[
        Start,
        typer.Option(
            help="The code to begin with. none: the model writes it; slow, fast: a measured reference; original: the "
            "problem's own.",
            rich_help_panel=_HOW,
        ),
    ] = Start.NONE,
    references: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Where no known solution is measured, measure N of them with the new code.",
            rich_help_panel=_HOW,
        ),
    ] = 20,
    seed: Annotated[int, option_of(Search, "seed", _HOW)] = 0,
    max_seconds: Annotated[
        float, typer.Option(metavar="S", help="Time budget of one loop on one problem, seconds.", rich_help_panel=_HOW)
    ] = 7_200.0,
    case_seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Time limit of one case where the problem states none, seconds. Default: 90.",
            show_default=False,
            rich_help_panel=_HOW,
        ),
    ] = None,
    model: Annotated[str, option_of(ModelOptions, "model", _MODEL)] = "rules",
    tell: Annotated[str, option_of(ModelOptions, "tell", _MODEL)] = "paper",
    temperature: Annotated[str | None, option_of(Search, "temperature", _MODEL)] = None,
    timeout: Annotated[float, option_of(ModelOptions, "timeout_s", _MODEL)] = 600.0,
    max_cost: Annotated[float | None, option_of(Caps, "cost_usd", _MODEL)] = None,
    max_tokens: Annotated[int | None, option_of(Caps, "tokens", _MODEL)] = None,
    max_requests: Annotated[int | None, option_of(Caps, "requests", _MODEL)] = None,
    executor: Annotated[Executor, EXECUTOR] = Executor.LOCAL,
    ray_address: Annotated[str, RAY_ADDRESS] = "",
    jobs: Annotated[int | None, JOBS] = None,
    sandbox: Annotated[str, SANDBOX] = "auto",
    quiet: Annotated[bool, QUIET] = False,
    verbose: Annotated[bool, VERBOSE] = False,
) -> None:
    """Evaluate a model on a benchmark, with the loop, and store everything that is measured.

    A run that is stopped goes on with eval resume.
    """
    with needing_extra(model):
        with nothing_stored_yet():
            from afterburner.evals.commands.carrying_out import carry_out
            from afterburner.evals.commands.showing import tell_unfinished_benchmark
            from afterburner.evals.datasets.registry import check_known

        check_known(dataset)  # before the options: advice on them is no use for a dataset that is not there
        settings = EvaluationSettings(
            dataset=dataset,
            source=source,
            split=split,
            configuration=configuration,
            only=tuple(filter(None, (each.strip() for each in only.split(",")))),
            limit=limit,
            model=model,
            objective=objective,
            iterations=iterations,
            candidates=candidates,
            generations=generations,
            repeats=repeats,
            selection=selection,
            tell=tell,
            start=start,
            temperature=temperature or "",
            timeout_s=timeout,
            references=references,
            seed=seed,
            max_seconds=max_seconds,
            case_seconds=case_seconds,
        )
        caps = Caps(cost_usd=max_cost, tokens=max_tokens, requests=max_requests)
        resources = Resources(sandbox, jobs, caps, executor, ray_address)

        def begin() -> RunFolder:
            from afterburner.evals.running.evaluate import begin_evaluation

            folder = begin_evaluation(out, name or model, settings, resources)
            tell_unfinished_benchmark(settings)
            return folder

        carry_out(begin, resources, is_new=True, quiet=quiet, verbose=verbose)
