"""What all runs of pytest here have in common: when they end."""

from __future__ import annotations

from typing import Any

from .alarm import TIME_OVER, has_rung


class SessionRules:
    """A plugin of pytest. It ends the session once the alarm has rung, which pytest takes for the failure of a test."""

    def __init__(self) -> None:
        self._session: Any = None

    def pytest_sessionstart(self, session: Any) -> None:
        """Remember what can be stopped."""
        self._session = session

    def pytest_collectreport(self) -> None:
        """Look for the alarm after each file."""
        self._look()

    def pytest_runtest_logreport(self) -> None:
        """Look for the alarm after each test."""
        self._look()

    def _look(self) -> None:
        if has_rung():
            self._session.shouldstop = TIME_OVER
