"""What a schedule has to try again: functions for which the time was too short."""

from __future__ import annotations

import pytest
from documents import function

from afterburner.agent.judge.decide import TOO_LATE_TO_CONFIRM
from afterburner.agent.judge.screening import TOO_LATE_TO_SCREEN
from afterburner.agent.models.requests.spending import TIME_IS_UP
from afterburner.ci_action.measuring import remember_tried
from afterburner.ci_action.memory import Memory
from afterburner.ci_action.optimizing import is_for_want_of_time
from afterburner.ci_action.report.document import Decision

IN_PART = "only 143 of 800 inputs could be tried before the time was over; give --max-seconds more"


@pytest.mark.parametrize("reason", [TIME_IS_UP, TOO_LATE_TO_SCREEN, TOO_LATE_TO_CONFIRM, IN_PART])
def test_what_was_not_measured_in_time_asks_for_another_try(reason: str) -> None:
    assert is_for_want_of_time(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "call 1 returned 2",
        f"call 1 returned {IN_PART!r} instead of {TOO_LATE_TO_SCREEN}",
        f"call 1 returned {TIME_IS_UP}",
    ],
)
def test_what_was_tried_to_the_end_does_not_whatever_the_code_returns(reason: str) -> None:
    assert not is_for_want_of_time(reason)


def test_a_function_that_was_not_reached_does_not_rest() -> None:
    memory = Memory()
    late = function(decision=Decision.NOT_REACHED, cut_short=True)
    short = function(name="total", decision=Decision.NO_IMPROVEMENT, cut_short=True)
    remember_tried(memory, [late, short], "rules 1")
    assert memory.wake("rules 1") == {short.key}


def test_a_function_without_time_rests_once_and_is_tried_again() -> None:
    memory = Memory()
    memory.remember("done", "rules 1")
    memory.let_rest("short", "rules 1")
    assert not memory.knows("short", "rules 1")
    assert memory.wake("rules 2") == set(), "another version tries all anew"
    assert memory.wake("rules 1") == {"short"}
    assert memory.wake("rules 1") == set()
    assert memory.knows("done", "rules 1")
