"""`afterburner-agent replay-receipt FILE`: is what a receipt claims true on this machine?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from afterburner.agent.cli.from_options import option_of
from afterburner.agent.cli.outputs import JSON_HELP, destination_option
from afterburner.agent.cli.progress import ProgressStyle, progress_option, quiet_option, show_progress, style_of
from afterburner.agent.cli.replay_document import document_of
from afterburner.agent.deadline import Deadline
from afterburner.agent.evidence import replaying
from afterburner.agent.evidence.receipt_reading import read_receipt
from afterburner.agent.options import InputOptions, Search
from afterburner.agent.wording import format_ratio
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import STDOUT, check_destination, write_result
from afterburner.sandbox.terminal.options import filled
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.evidence.receipt import Receipt
    from afterburner.agent.evidence.replaying import Replayed
    from afterburner.agent.types import Gain

DEFAULT_SECONDS = 120.0
EXIT_CODES = {"confirmed": 0, "denied": 5, "too_noisy": 6}
_HEADLINES = {
    "confirmed": ("Confirmed", "bold green"),
    "denied": ("Denied", "bold red"),
    "too_noisy": ("Too noisy to tell", "bold yellow"),
}


def replay_receipt(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="The receipt, from run --receipt.", show_default=False, callback=filled),
    ],
    *,
    project: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            callback=filled,
            help="The project that the code needs, in the state in which the receipt was made.",
        ),
    ] = None,
    python: Annotated[str | None, option_of(InputOptions, "python")] = None,
    max_seconds: Annotated[
        float, option_of(Search, "max_seconds", help_text="Time budget, seconds.")
    ] = DEFAULT_SECONDS,
    json: Annotated[str | None, destination_option(JSON_HELP)] = None,
    progress: Annotated[ProgressStyle, progress_option()] = ProgressStyle.TEXT,
    quiet: Annotated[bool, quiet_option()] = False,
) -> None:
    """Judge and measure the rewrite of a receipt again, on this machine.

    Everything in the receipt runs in the sandbox and nowhere else.
    """
    path = Path(file)
    if json is not None:
        check_destination("--json", json, path, "the receipt")

    receipt = read_receipt(path)
    with show_progress(None, style_of(progress, quiet=quiet)) as on_event:
        replayed = replaying.replay_receipt(
            receipt,
            Deadline.after(max_seconds),
            project=None if project is None else Path(project),
            python=python,
            on_event=on_event,
        )
    console = open_console(sys.stderr if json == STDOUT else sys.stdout)
    _print(console, receipt, replayed)
    if json is not None:
        write_result("--json", json, document_of(receipt, replayed).to_text().encode("ascii"))
    if console.reader_gone:
        raise BrokenPipeError
    raise typer.Exit(EXIT_CODES[replayed.answer.value])


def _print(console: Console, receipt: Receipt, replayed: Replayed) -> None:
    headline, style = headline_of(receipt, replayed)
    name = scrub_line(f"{receipt.target.file} {receipt.target.function or ''}".strip())
    console.print(Text.assemble((headline, style), f"  {name}: {scrub_line(replayed.reason)}"))
    console.print(f"  receipt: {_gain(receipt.gain)}, on {scrub_line(receipt.machine.cpu_model)}")
    if replayed.gain is not None:
        console.print(f"  here:    {_gain(replayed.gain)}, on {scrub_line(replayed.machine.cpu_model)}")
    for note in replayed.notes:
        console.print(f"  note:    {scrub_line(note)}")


def headline_of(receipt: Receipt, replayed: Replayed) -> tuple[str, str]:
    """The answer and its colour. What was confirmed under an assumption alone is not told as if it held everywhere."""
    headline, style = _HEADLINES[replayed.answer.value]
    if receipt.settings.assume and replayed.answer is replaying.Answer.CONFIRMED:
        headline = f"{headline} for inputs that keep to what the receipt assumes"
    return headline, style


def _gain(gain: Gain) -> str:
    return f"{format_ratio(gain.ratio)} ({format_ratio(gain.low)} to {format_ratio(gain.high)})"
