"""The console that reports are printed on: it never surprises a pipe, and a pipe never surprises it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rich.console import Console

from afterburner.sandbox.terminal.streams import abandon, is_live

if TYPE_CHECKING:
    from typing import TextIO

PIPE_WIDTH = 120  # columns of a table that nobody's terminal limits


class ReportConsole(Console):
    """A console that falls silent when its reader goes away, so that what else is to be written still is."""

    reader_gone = False

    def on_broken_pipe(self) -> None:
        """Print nothing any more. Rich itself would leave the program, and give up stdout even for stderr."""
        self.quiet = self.reader_gone = True
        abandon(self.file)


def open_console(stream: TextIO) -> ReportConsole:
    """Give a console that colours only for people: not into pipes, not in CI, not with NO_COLOR or TERM=dumb.

    FORCE_COLOR brings the colours back where a CI system shows them.
    """
    coloured = (is_live(stream) or bool(os.environ.get("FORCE_COLOR"))) and not os.environ.get("NO_COLOR")
    return ReportConsole(
        file=stream,
        force_terminal=coloured or is_live(stream),
        color_system="auto" if coloured else None,
        width=None if stream.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )
