"""What a person who waits sees: a calm live region on a terminal, plain lines everywhere else."""

from __future__ import annotations

import json
import sys
import threading
import time
from contextlib import contextmanager, redirect_stdout
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import typer
from rich.live import Live
from rich.text import Text

from afterburner.agent.events import OUTCOMES, EventKind
from afterburner.agent.progress_lines import line_of, spent_of
from afterburner.agent.wording import count, format_ratio
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.plain_lines import PlainLines
from afterburner.sandbox.terminal.streams import is_live
from afterburner.sandbox.terminal.text import format_elapsed, scrub_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from afterburner.agent.events import OnEvent, ProgressEvent
    from afterburner.agent.options import RunSettings

REDRAWS_PER_SECOND = 4
_WAITING_TOLD_EVERY_S = 60.0  # on plain lines: beside another run each step waits for a moment


class ProgressStyle(StrEnum):
    """How progress is shown on stderr."""

    TEXT = "text"  # a live region on a terminal, plain lines elsewhere
    JSON = "json"  # one object a line: docs/cli.md lists its fields
    NONE = "none"


def progress_option(panel: str | None = None) -> Any:
    """`--progress`, in a panel of `--help`."""
    return typer.Option(
        "--progress",
        metavar="FORM",
        case_sensitive=False,
        help="How to show progress on stderr: text, json (one object a line) or none.",
        rich_help_panel=panel,
    )


def quiet_option(panel: str | None = None) -> Any:
    """`--quiet`, likewise."""
    return typer.Option("--quiet", "-q", help="Show no progress.", rich_help_panel=panel)


@contextmanager
def show_progress(settings: RunSettings | None, style: ProgressStyle = ProgressStyle.TEXT) -> Iterator[OnEvent]:
    """Show progress on stderr while the block runs; what libraries print to stdout goes to stderr meanwhile.

    `settings` are those of a run; None where nothing is made better.
    """
    with redirect_stdout(sys.stderr):
        if style is ProgressStyle.NONE:
            yield _ignore
        elif style is ProgressStyle.JSON:
            yield print_json_line
        elif is_live(sys.stderr):
            progress = LiveProgress(settings)
            with _live(progress):
                yield progress
        else:
            with plain_progress() as tell:
                yield tell


@contextmanager
def plain_progress() -> Iterator[OnEvent]:
    """Progress where nothing can be redrawn: a line for each event, and a word of each long wait."""
    lines = PlainLines()
    with lines.never_silent():
        yield PlainProgress(lines)


@contextmanager
def show_beginning(subject: str, style: ProgressStyle) -> Iterator[None]:
    """Show at once what a command was given, while the block imports what the command works with.

    Only people see this: in `--progress json` each line is an event of a job, and there is none yet.
    """
    doing = f"prepare: reading {scrub_line(subject)}"
    if style is not ProgressStyle.TEXT:
        yield
    elif is_live(sys.stderr):
        with _live(LiveProgress(None, doing)) as live:
            live.refresh()  # by itself it draws a quarter of a second later
            yield
    else:
        PlainLines().show(doing)
        yield


def print_json_line(event: ProgressEvent) -> None:
    """Print an event as one JSON object, in one write, so that lines of several threads do not mix."""
    sys.stderr.write(json.dumps(to_document(event), allow_nan=False) + "\n")
    sys.stderr.flush()


def to_document(event: ProgressEvent) -> dict[str, Any]:
    """The documented dictionary: schema in docs/cli.md. Texts that a program or a server wrote are scrubbed."""
    document = asdict(event)
    usage = event.usage
    del document["usage"]
    texts = {name: scrub_line(value) for name, value in document.items() if isinstance(value, str)}
    return {
        **document,
        **texts,
        "requests": usage.requests,
        "tokens": usage.tokens,
        "cost_usd": usage.known_cost_usd,
    }


def style_of(progress: ProgressStyle, *, quiet: bool) -> ProgressStyle:
    """What `--progress` and `--quiet` come to together."""
    return ProgressStyle.NONE if quiet else progress


class PlainProgress:
    """One of the `lines` for each event."""

    def __init__(self, lines: PlainLines) -> None:
        self._lines = lines
        self._waiting_told_s = -_WAITING_TOLD_EVERY_S
        self._doing = "starting"

    def __call__(self, event: ProgressEvent) -> None:
        """Print the event; of the many waits for a core, one a minute."""
        line = f"{event.stage}: {line_of(event)}{_best(event.best_ratio)}{_spent(spent_of(event))}"
        ongoing = event.kind not in OUTCOMES
        if event.kind is not EventKind.WAITING_FOR_CORE:
            self._doing = line
            self._lines.show(line, ongoing=ongoing)
            return
        if time.monotonic() - self._waiting_told_s >= _WAITING_TOLD_EVERY_S:
            self._waiting_told_s = time.monotonic()
            self._lines.show(line)
        # Nobody tells when the wait is over.
        self._lines.note(f"{self._doing} ({line_of(event)} now and then)", ongoing=True)


class LiveProgress:
    """Lines that are redrawn in place: what is being done, of each function that is worked on, and how far we are."""

    def __init__(self, settings: RunSettings | None, doing: str = "starting") -> None:
        self._started = time.monotonic()
        self._settings = settings
        self._doing = {0: doing}  # by the number of the function; 0: of the whole
        self._done = self._targets = 0  # functions
        self._lock = threading.Lock()
        self._iteration = 0
        self._best: float | None = None
        self._spent = ""

    def __call__(self, event: ProgressEvent) -> None:
        """Keep what the next redraw shows. Several threads may call this."""
        line = f"{event.stage}: {line_of(event)}"
        with self._lock:
            others = {number: known for number, known in self._doing.items() if number not in (0, event.number)}
            if not event.number:
                self._doing = {0: line}
            elif event.kind is EventKind.FUNCTION_DONE:
                self._doing = others or {0: line}
                self._done += 1
            else:
                self._doing = {**others, event.number: line}
        self._targets = event.targets or self._targets
        self._spent = spent_of(event) or self._spent
        self._iteration = max(self._iteration, event.iteration)
        if event.best_ratio and event.best_ratio != 1.0:  # 1.0 is the original itself
            self._best = event.best_ratio

    def render(self) -> RenderableType:
        """Draw the lines, each cut to the terminal's width."""
        facts = [format_elapsed(time.monotonic() - self._started)]
        if self._targets:
            facts.append(f"{self._done} of {count(self._targets, 'function')} done")
        elif self._settings is not None:
            if self._iteration:
                facts.append(f"iteration {self._iteration} of {self._settings.search.iterations}")
            facts.append(f"best so far {format_ratio(self._best)}" if self._best else "nothing better yet")
        if self._spent:
            facts.append(self._spent)
        text = Text(no_wrap=True, overflow="ellipsis", end="")
        text.append("\n".join(line for _, line in sorted(self._doing.items())), style="bold")
        text.append("\n" + "  ".join(facts), style="dim")
        return text


def _live(progress: LiveProgress) -> Live:
    return Live(
        get_renderable=progress.render,
        console=open_console(sys.stderr),
        refresh_per_second=REDRAWS_PER_SECOND,
        transient=True,
        redirect_stdout=False,
    )


def _best(ratio: float | None) -> str:
    return f" (best so far {format_ratio(ratio)})" if ratio and ratio != 1.0 else ""


def _spent(spent: str) -> str:
    return f" ({spent})" if spent else ""


def _ignore(_event: ProgressEvent) -> None:
    pass
