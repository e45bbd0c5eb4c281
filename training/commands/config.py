"""The command `train config`."""

from __future__ import annotations

from typing import Annotated

import typer

from afterburner.training.commands.needs import needing_training


def config(
    name: Annotated[
        str,
        typer.Argument(metavar="[NAME]", help="Such as paper/sft. Default: list the names.", show_default=False),
    ] = "",
) -> None:
    """Print a configuration that comes with the program, to be changed: `train config paper/sft > my-sft.yaml`.

    Those of `accelerate/` are for `accelerate launch --config_file`.
    """
    with needing_training():
        from afterburner.training.config.reading import shipped_files, shipped_text

        typer.echo(shipped_text(name) if name else "".join(f"{each}\n" for each in shipped_files()), nl=False)
