"""What is shown while a soak goes on: one line that changes, on a terminal; plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from afterburner.sandbox.terminal.streams import is_live

if TYPE_CHECKING:
    from scripts.soak.findings import Findings

_REDRAW_S = 0.2
_WIDTH = 100  # columns; a shorter line erases what was there


class Progress:
    """Shows how far a soak is."""

    def __init__(self, runs: int) -> None:
        self._runs = runs
        self._drawn = 0.0
        self._said: set[str] = set()
        self._live = is_live(sys.stdout)

    def show(self, findings: Findings) -> None:
        """Redraws the line, now and then."""
        if self._live and time.monotonic() - self._drawn > _REDRAW_S:
            self._drawn = time.monotonic()
            print(f"\r{self._line(findings):{_WIDTH}.{_WIDTH}}", end="", flush=True)

    def look(self, findings: Findings, when: str) -> None:
        """Says how far it is after a look at the machine, and what is wrong that was not said yet."""
        new = [line for line in findings.failures if line not in self._said]
        self._said.update(new)
        if self._live and not new:
            self.show(findings)
            return
        line = f"{self._line(findings)}; looked {when}"
        print(f"\r{line:{_WIDTH}}" if self._live else line, *new, sep="\n", flush=True)

    def end(self) -> None:
        """Leaves the line."""
        if self._live:
            print(flush=True)

    def _line(self, findings: Findings) -> str:
        per_second = findings.runs / max(findings.seconds, 1e-9)
        return (
            f"{findings.runs}/{self._runs} runs, {per_second:.1f}/s, {findings.kills} kills, "
            f"{len(findings.wrong)} wrong, {len(findings.left)} left behind"
        )
