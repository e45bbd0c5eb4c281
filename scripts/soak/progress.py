"""What is shown while a soak goes on: one line that changes, on a terminal; plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from afterburner.sandbox.commands.streams import is_live

if TYPE_CHECKING:
    from scripts.soak.findings import Findings

_REDRAW_S = 0.2
_WIDTH = 100  # columns; a shorter line erases what was there


class Progress:
    """Shows how far a soak is."""

    def __init__(self, runs: int, kills: int) -> None:
        self._runs = runs
        self._kills = kills
        self._drawn = 0.0
        self._live = is_live(sys.stdout)

    def show(self, findings: Findings) -> None:
        """Redraws the line, now and then."""
        if self._live and time.monotonic() - self._drawn > _REDRAW_S:
            self._drawn = time.monotonic()
            print(f"\r{self._line(findings):{_WIDTH}.{_WIDTH}}", end="", flush=True)

    def look(self, findings: Findings, when: str) -> None:
        """Says what a look at the machine has found."""
        end = "\r" if self._live else "\n"
        print(f"{self._line(findings)}; looked {when}".ljust(_WIDTH), end=end, flush=True)

    def end(self) -> None:
        """Leaves the line."""
        if self._live:
            print(flush=True)

    def _line(self, findings: Findings) -> str:
        per_second = findings.runs / max(findings.seconds, 1e-9)
        return (
            f"{findings.runs}/{self._runs} runs, {per_second:.1f}/s, {findings.kills}/{self._kills} kills, "
            f"{len(findings.wrong)} wrong, {len(findings.left)} left behind"
        )
