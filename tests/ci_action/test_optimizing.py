"""What a schedule has to try again: functions for which the time was too short."""

from __future__ import annotations

from dataclasses import replace

import pytest

from afterburner.agent.judge.decide import TOO_LATE_TO_CONFIRM
from afterburner.agent.judge.screening import TOO_LATE_TO_SCREEN
from afterburner.agent.loop.results import RunResult
from afterburner.agent.models.requests.spending import TIME_IS_UP
from afterburner.agent.types import Decision, HeldOut, JudgedCandidate, Machine, Objective, Target
from afterburner.ci_action.memory import Memory
from afterburner.ci_action.optimizing import lacked_time
from afterburner.sandbox import Measurement

NOTHING = Measurement(0.0, 0.0, 0, 0.0)
RESULT = RunResult(
    run_id="x",
    target=Target("/a.py", "", "f", "a", "/", "/"),
    objective=Objective.TIME,
    model="rules",
    improved=False,
    summary="nothing is offered: none of 3 candidates was correct and really better",
    gain=None,
    original=NOTHING,
    best=NOTHING,
    held_out=HeldOut(0, passed=True, gain=None),
    candidates=(),
    patch="",
    best_source="",
    readability=None,
    workload_origins=(),
    skipped=(),
    machine=Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits"),
    elapsed_s=1.0,
)


def judged(reason: str) -> JudgedCandidate:
    return JudgedCandidate("1.1", 1, "rules", None, Decision.REFUSED, reason)


IN_PART = "only 143 of 800 inputs could be tried before the time was over; give --max-seconds more"


@pytest.mark.parametrize("reason", [TOO_LATE_TO_SCREEN, TOO_LATE_TO_CONFIRM, IN_PART])
def test_a_candidate_that_was_not_measured_in_time_asks_for_another_try(reason: str) -> None:
    assert lacked_time(replace(RESULT, candidates=(judged(reason),)))


def test_so_does_a_search_that_ended_early() -> None:
    assert lacked_time(replace(RESULT, ended_early=TIME_IS_UP))


def test_what_was_tried_to_the_end_is_not_tried_again() -> None:
    assert not lacked_time(RESULT)
    assert not lacked_time(replace(RESULT, candidates=(judged("call 1 returned 2"),)))
    forged = f"call 1 returned {IN_PART!r} instead of {TOO_LATE_TO_SCREEN}"
    assert not lacked_time(replace(RESULT, candidates=(judged(forged),))), "values of the code are no reason of ours"
    assert not lacked_time(replace(RESULT, improved=True, ended_early=TIME_IS_UP))


def test_a_function_without_time_rests_once_and_is_tried_again() -> None:
    memory = Memory()
    memory.remember("done", "rules 1")
    memory.let_rest("short", "rules 1")
    assert not memory.knows("short", "rules 1")
    assert memory.wake("rules 2") == set(), "another version tries all anew"
    assert memory.wake("rules 1") == {"short"}
    assert memory.wake("rules 1") == set()
    assert memory.knows("done", "rules 1")
