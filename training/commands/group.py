"""Train models that rewrite code, as the paper does."""

from __future__ import annotations

import typer

from afterburner.training.commands.data import data
from afterburner.training.commands.export import export

app = typer.Typer(
    name="train",
    help="Build the data sets that models are trained on.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(name="data")(data)
app.command(name="export")(export)


@app.callback()
def root(context: typer.Context) -> None:
    """Build the data sets that models are trained on."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)
