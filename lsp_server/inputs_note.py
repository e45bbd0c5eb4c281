"""What to tell of the inputs of a run that come from no real call, and of tests that would have given some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.inputs.inside.pytest_calls import NO_PYTEST
from afterburner.agent.inputs.written_calls import NONE_FROM_PROJECT

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult

_NONE = f"{NONE_FROM_PROJECT[0].upper()}{NONE_FROM_PROJECT[1:]}"


def inputs_note(result: RunResult) -> str:
    """Say that no input of a run is from the project, and which tests lack pytest; empty: some input is."""
    return f"{'; '.join(filter(None, [_NONE, tests_note(result)]))}." if result.invented_inputs else ""


def tests_note(result: RunResult) -> str:
    """Which tests would be run in place of inputs that were made, if pytest were installed; empty: none."""
    if not result.invented_inputs:
        return ""
    reason = next((each.reason for each in result.skipped if NO_PYTEST in each.reason), "")
    return reason.partition(NO_PYTEST)[0] + NO_PYTEST if reason else ""
