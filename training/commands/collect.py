"""The command `train collect`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from afterburner.agent import Caps
from afterburner.agent.cli.from_options import option_of
from afterburner.agent.errors import ProposerError
from afterburner.agent.options import ModelOptions
from afterburner.evals.commands.needs import needing_extra
from afterburner.sandbox.terminal.text import display_path, scrub_line

_FROM, _MODEL, _WHICH, _WHERE = "Source", "The model", "Which answers are kept", "Where it runs"


def collect(
    *,
    data: Annotated[
        Path,
        typer.Option(
            "--from",
            metavar="DATA",
            help="Prompts: a data set that train data grpo made.",
            show_default=False,
            rich_help_panel=_FROM,
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder.", show_default=False)],
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="A language model: hosted_vllm/NAME, openai/NAME, vllm:PATH, replay:FILE, …",
            show_default=False,
            rich_help_panel=_MODEL,
        ),
    ],
    benchmark: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Benchmark with the tests of the problems. Default: the one that DATA was built from.",
            show_default=False,
            rich_help_panel=_FROM,
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option(metavar="N", min=1, help="Answers to each prompt.", rich_help_panel=_MODEL)
    ] = 4,
    temperature: Annotated[
        float | None,
        typer.Option(
            metavar="T",
            help="Temperature of the model. Default: the model's own.",
            show_default=False,
            rich_help_panel=_MODEL,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the answers.", rich_help_panel=_MODEL)] = 0,
    timeout: Annotated[float, option_of(ModelOptions, "timeout_s", _MODEL)] = 600.0,
    max_cost: Annotated[float | None, option_of(Caps, "cost_usd", _MODEL)] = None,
    max_tokens: Annotated[int | None, option_of(Caps, "tokens", _MODEL)] = None,
    max_requests: Annotated[int | None, option_of(Caps, "requests", _MODEL)] = None,
    improving: Annotated[
        bool,
        typer.Option(
            "--improving", help="Keep only answers that are better than the original.", rich_help_panel=_WHICH
        ),
    ] = False,
    least_gap: Annotated[
        float,
        typer.Option(
            metavar="RATIO",
            help="With --improving: minimum ratio of the original's figure to the answer's.",
            rich_help_panel=_WHICH,
        ),
    ] = 1.2,
    jobs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Prompts under way at a time.", rich_help_panel=_WHERE)
    ] = 8,
    sandbox: Annotated[
        str,
        typer.Option(
            metavar="BACKEND",
            help="auto, bubblewrap, docker or the address of a sandbox service.",
            rich_help_panel=_WHERE,
        ),
    ] = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel=_WHERE)] = False,
) -> None:
    """Collect a cold-start data set: a model's own answers that keep to the format and pass the tests.

    Run the same command again to go on after an interruption: no answer is paid for twice.
    """
    with needing_extra():
        from afterburner.training.collecting.collect import Resources
        from afterburner.training.collecting.collect import collect as carry_out
        from afterburner.training.collecting.settings import CollectSettings, Filters

        try:
            found = carry_out(
                data,
                out,
                CollectSettings(model, samples, temperature, seed),
                Filters(improving, least_gap),
                benchmark=benchmark,
                resources=Resources(sandbox, jobs, Caps(max_cost, max_tokens, max_requests), timeout),
                on_progress=_ignore if quiet else _Progress(),
            )
        except (ProposerError, KeyboardInterrupt):
            if out.is_dir():
                sys.stderr.write("What came is stored. Run the same command again to go on.\n")
            raise
    for why in dict.fromkeys(found.card.lost):
        sys.stderr.write(f"{scrub_line(f'not judged: {why}')}\n")
    card = found.card
    typer.echo(
        f"{card.asked:,} answers: {card.strict:,} strict, {card.passing:,} passing, {card.kept:,} kept in "
        f"{display_path(str(out))}"
    )
    if found.missing:
        why = f": {found.cap}" if found.cap else ""
        typer.echo(f"{found.missing:,} answers are missing{why}. Run the same command again to ask for them.")
        raise typer.Exit(1)


def _ignore(_what: str, _done: int, _total: int) -> None:
    """Show nothing."""


class _Progress:
    """Writes a line for each twentieth of the work."""

    def __init__(self) -> None:
        self._told = ("", -1)

    def __call__(self, what: str, done: int, total: int) -> None:
        step = (what, 20 * done // max(total, 1))
        if step != self._told:
            self._told = step
            sys.stderr.write(f"{what} {done:,} of {total:,} answers\n")
            sys.stderr.flush()
