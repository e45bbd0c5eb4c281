"""Work that goes on while something else is timed: on other cores, and never longer than it is wanted."""

from __future__ import annotations

import os
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import WorkloadError
from afterburner.agent.inputs.ahead import ahead
from afterburner.sandbox import CancelledError, Limits, Program, TestCase

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.sandbox import Report, Sandbox

ENDLESS = Program("python", "while True: pass")
LONG = Limits(wall_time_s=600, cpu_time_s=600)
CPUS = len(os.sched_getaffinity(0))
ONE_CPU = frozenset({min(os.sched_getaffinity(0))})


def nothing() -> None:
    """For tasks that end by themselves."""


def cpus_of_a_thread() -> frozenset[int]:
    return frozenset(os.sched_getaffinity(0))


def test_results_come_in_the_order_of_the_tasks() -> None:
    tasks: list[Callable[[], str]] = [partial(str.upper, word) for word in "abcd"]
    with ahead(tasks, ONE_CPU, nothing, at_once=CPUS) as work:
        assert work.results() == list("ABCD")


def test_work_begins_before_anybody_asks_for_it_and_keeps_to_its_cpus() -> None:
    seen: list[frozenset[int]] = []
    begun = threading.Event()

    def look() -> None:
        seen.append(cpus_of_a_thread())
        begun.set()

    before = cpus_of_a_thread()
    with ahead([look], ONE_CPU, nothing, at_once=CPUS):
        assert begun.wait(60)
        assert cpus_of_a_thread() == before, "the block itself may use all of them"
    assert seen == [ONE_CPU]


def test_once_the_results_are_wanted_all_cpus_may_be_used() -> None:
    begun, at_first = threading.Event(), []

    def wait_for_all_cpus() -> frozenset[int]:
        at_first.append(cpus_of_a_thread())
        begun.set()
        until_s = time.monotonic() + 60
        while cpus_of_a_thread() != all_cpus and time.monotonic() < until_s:
            time.sleep(0.001)
        return cpus_of_a_thread()

    all_cpus = cpus_of_a_thread()
    with ahead([wait_for_all_cpus, wait_for_all_cpus], ONE_CPU, nothing, at_once=CPUS) as work:
        assert begun.wait(60)
        assert work.results() == [all_cpus, all_cpus]
    assert at_first[0] == ONE_CPU


def test_without_a_cpu_beside_the_timed_one_nothing_is_done_before_it_is_wanted() -> None:
    done: list[str] = []
    with ahead([partial(done.append, "late")], frozenset[int](), nothing, at_once=CPUS) as work:
        assert not done
        work.results()
    assert done == ["late"]


def test_tasks_that_nobody_wants_any_more_are_not_begun() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), []

    def first() -> None:
        begun.set()
        assert go_on.wait(60)

    with ahead([first, partial(done.append, "second")], ONE_CPU, go_on.set, at_once=CPUS):
        assert begun.wait(60)
    assert go_on.is_set(), "the one that ran was stopped"
    assert not done


def test_what_runs_in_the_sandbox_ends_with_the_block(sandbox: Sandbox) -> None:
    ended: list[BaseException] = []

    with sandbox.branch() as branch:

        def run_endlessly() -> Report:
            try:
                return branch.run(ENDLESS, [TestCase()], LONG)
            except CancelledError as error:
                ended.append(error)
                raise

        with pytest.raises(KeyboardInterrupt), ahead([run_endlessly], ONE_CPU, branch.stop, at_once=CPUS):
            raise KeyboardInterrupt
    assert ended
    assert sandbox.run(Program("python", "print(1)"), [TestCase()]).cases[0].stdout == b"1\n"


def test_an_error_of_a_task_is_raised_where_its_result_is_wanted() -> None:
    def fail() -> str:
        raise WorkloadError("no such luck")

    tasks = [partial(str.upper, "a"), fail, fail]
    with ahead(tasks, ONE_CPU, nothing, at_once=CPUS) as work, pytest.raises(WorkloadError, match="no such luck"):
        work.results()
    with ahead([fail], ONE_CPU, nothing, at_once=CPUS):
        pass  # and nobody hears of it where it is not
