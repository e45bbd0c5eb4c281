"""Looks at the user's code that do not depend on one another run at the same time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import WorkloadError
from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.sandbox import CancelledError, Limits, Program, TestCase, open_sandbox

if TYPE_CHECKING:
    from afterburner.sandbox import Report, Sandbox


def told(sandbox: Sandbox, word: str) -> str:
    return sandbox.run(Program("python", f"print({word!r})"), [TestCase()]).cases[0].stdout.decode().strip()


def test_results_come_in_the_order_of_the_tasks(sandbox: Sandbox) -> None:
    assert side_by_side(sandbox, [partial(told, sandbox, word) for word in "abcd"]) == list("abcd")
    assert side_by_side(sandbox, [partial(told, sandbox, "alone")]) == ["alone"]


def test_after_a_failure_the_sandbox_can_still_be_used(sandbox: Sandbox) -> None:
    def fail() -> str:
        raise WorkloadError("no such luck")

    with pytest.raises(WorkloadError, match="no such luck"):
        side_by_side(sandbox, [fail, partial(told, sandbox, "a")])
    assert told(sandbox, "b") == "b"


def test_an_interrupt_does_not_wait_for_what_runs(sandbox: Sandbox) -> None:
    assert told(sandbox, "here") == "here"
    endless = Program("python", "while True: pass")
    with open_sandbox("auto") as own:

        def run_endlessly() -> Report:
            return own.run(endless, [TestCase()], Limits(wall_time_s=600, cpu_time_s=600))

        def interrupt() -> Report:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            side_by_side(own, [interrupt, run_endlessly])
        with pytest.raises(CancelledError):
            own.run(endless, [TestCase()])
