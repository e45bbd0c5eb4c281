"""Train models that rewrite code, as the paper does."""

from __future__ import annotations

import typer

from afterburner.training.commands.collect import collect
from afterburner.training.commands.config import config
from afterburner.training.commands.data import data
from afterburner.training.commands.export import export
from afterburner.training.commands.merge import merge
from afterburner.training.commands.mini import mini
from afterburner.training.commands.plan import plan
from afterburner.training.commands.runs import runs
from afterburner.training.commands.training import COMMANDS

app = typer.Typer(
    name="train",
    help="Train models that rewrite code: data sets, recipes, rewards.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(name="data")(data)
app.command(name="collect")(collect)
app.command(name="export")(export)
app.command(name="runs")(runs)
for _method, _command in COMMANDS.items():
    app.command(name=_method.value)(_command)
app.command(name="merge")(merge)
app.command(name="mini")(mini)
app.command(name="plan")(plan)
app.command(name="config")(config)


@app.callback()
def root(context: typer.Context) -> None:
    """Train models that rewrite code: data sets, recipes, rewards."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)
