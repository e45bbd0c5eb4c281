"""Evaluate models on benchmarks, with the loop and without, and report it as the paper does."""

from __future__ import annotations

import typer

from afterburner.evals.commands.build import build
from afterburner.evals.commands.datasets import datasets
from afterburner.evals.commands.report import report
from afterburner.evals.commands.resume import resume
from afterburner.evals.commands.run import run

app = typer.Typer(
    name="eval",
    help="Evaluate models on benchmarks, and report it as the paper does.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(name="datasets")(datasets)
app.command(name="build")(build)
app.command(name="run")(run)
app.command(name="resume")(resume)
app.command(name="report")(report)


@app.callback()
def root(context: typer.Context) -> None:
    """Evaluate models on benchmarks, with the loop and without, and report it as the paper does."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)
