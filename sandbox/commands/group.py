"""Run programs in the sandbox, here or for others."""

from __future__ import annotations

import typer

from afterburner.sandbox.commands.run import run
from afterburner.sandbox.commands.serve import serve

app = typer.Typer(
    name="sandbox",
    help="Run programs in the sandbox, from the shell or over HTTP.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(name="run")(run)
app.command(name="serve")(serve)


@app.callback()
def root(context: typer.Context) -> None:
    """Run programs in the sandbox, here or for others."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)
