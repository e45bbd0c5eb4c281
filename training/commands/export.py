"""The command `train export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from afterburner.evals.commands.needs import needing_extra
from afterburner.sandbox.terminal.text import display_path
from afterburner.training.data.export import Program


def export(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="Folder that train data wrote.", show_default=False)],
    *,
    format: Annotated[Program, typer.Option(help="Target program.", show_default=False)],  # noqa: A002 - the option
    out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder.", show_default=False)],
) -> None:
    """Write a data set for LLaMA-Factory (SFT, DPO, direct, cold start) or verl (GRPO), which the paper used."""
    with needing_extra():
        from afterburner.training.data.export import export as write
        from afterburner.training.data.reading import read_data

        written = write(read_data(data), format, out)
    typer.echo(f"written: {display_path(str(written))}")
