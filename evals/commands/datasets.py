"""The command `eval datasets`."""

from __future__ import annotations

from typing import Annotated

import typer

from afterburner.agent import UsageError
from afterburner.evals.commands.needs import needing_extra
from afterburner.evals.commands.run import SANDBOX
from afterburner.sandbox.terminal.options import filled


def datasets(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME]",
            help="One dataset, or a file or folder of one's own to check. Default: all.",
            show_default=False,
        ),
    ] = "",
    *,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="PATH",
            callback=filled,
            help="Read a file or folder in the layout of NAME, and say which records can be used.",
        ),
    ] = None,
    split: Annotated[
        str,
        typer.Option(
            metavar="SPLIT",
            help="Which files of a folder. Default: test; of what eval build made: everything.",
            show_default=False,
        ),
    ] = "",
    configuration: Annotated[
        str, typer.Option(metavar="NAME", help="A language, a difficulty or a release of the dataset.")
    ] = "",
    json: Annotated[
        str | None, typer.Option(metavar="FILE|-", callback=filled, help="Write it as JSON to FILE; - is stdout.")
    ] = None,
    sandbox: Annotated[str, SANDBOX] = "auto",
) -> None:
    """List the datasets that models are evaluated on, or check a local copy of one.

    With --from, or the path of problems of your own, each record that cannot be used is told with its field and the
    reason; exit code 4 if none can.
    """
    if source is not None and not name:
        raise UsageError(
            "--from reads a file in the layout of a dataset: say which one, as in eval datasets venus --from"
        )
    with needing_extra():
        from afterburner.evals.commands.listing import check_copy, is_own, list_datasets

        if source is None and not is_own(name):
            list_datasets(name, json)
        else:
            check_copy(name, source, split=split, configuration=configuration, json=json, sandbox=sandbox)
