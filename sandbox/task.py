"""The unit of work of `Sandbox.run_many`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.sandbox.types import Limits, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox.checkers import Checker
    from afterburner.sandbox.types import CallCase, Program, TestCase


@dataclass(frozen=True, slots=True)
class Task:
    """One program and what it is to be run on."""

    program: Program
    cases: Sequence[TestCase | CallCase]
    limits: Limits = field(default_factory=Limits)
    checker: Checker | None = None  # None: the expected lines, see `Lines`
    stop_at_failure: bool = False
    stop_at_time_limit: bool = False  # verdict and detail are those of all cases: no later case outranks a time limit

    def stops_at(self, verdict: Verdict) -> bool:
        """Whether the cases after one with this verdict are left out."""
        return (self.stop_at_failure and verdict is not Verdict.ACCEPTED) or (
            self.stop_at_time_limit and verdict is Verdict.TIME_LIMIT
        )
