"""The command `train merge`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.text import display_path
from afterburner.training.commands.needs import needing_training
from afterburner.training.planning.adapter_bases import check_adapter


def merge(
    adapter: Annotated[
        Path, typer.Argument(metavar="ADAPTER", help="Folder of an adapter: RUN/model.", show_default=False)
    ],
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder for the model.", show_default=False)],
    base: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The adapter's base, if it was moved. Default: what the adapter names.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Merge an adapter into its base model, so that any server can serve it."""
    if out.exists():
        raise UsageError(f"{out} exists. Give a new folder.")
    check_adapter(adapter)  # before PyTorch, which takes a while to load
    with needing_training():
        from afterburner.training.trainers.models import merge_adapter
        from afterburner.training.trainers.quiet import quieten

        quieten()
        merge_adapter(adapter, out, base)
    typer.echo(f"written: {display_path(str(out))}")
