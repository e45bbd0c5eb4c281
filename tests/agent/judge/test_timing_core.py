"""The core that samples are timed on, and the time budget of who waits for it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from afterburner.agent.deadline import BudgetClock, Deadline
from afterburner.agent.judge.measuring.timing_core import TimingCore

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox


def test_waiting_for_a_core_uses_up_nothing_of_the_time_budget(sandbox: Sandbox) -> None:
    waits, deadline = threading.Event(), Deadline.after(3600)
    taken = TimingCore()
    waiting = TimingCore(waits.set, taken.cores, deadline.clock)
    got = threading.Event()

    def time_something() -> None:
        with waiting.leased(sandbox):
            got.set()

    thread = threading.Thread(target=time_something)
    with taken.leased(sandbox) as first:
        others = [TimingCore().leased(sandbox) for _ in taken.cores.slots if _ != first]
        for other in others:
            other.__enter__()
        thread.start()
        assert waits.wait(600)
        left_s = deadline.left_s()
        assert not got.wait(0.05)  # the clock would have gone on meanwhile
        assert deadline.left_s() == left_s
        for other in others:
            other.__exit__(None, None, None)
    thread.join()
    assert got.is_set()
    assert deadline.left_s() <= left_s  # it runs again


def test_of_several_pauses_the_last_one_ends_them() -> None:
    clock = BudgetClock()
    first = clock.paused()
    with clock.paused():
        first.__enter__()
        stands_at_s = clock.now_s()
    assert clock.now_s() == stands_at_s
    first.__exit__(None, None, None)
    assert clock.now_s() >= stands_at_s


def test_whoever_queues_uses_up_nothing_of_the_time_budget_unless_another_part_of_the_run_works() -> None:
    clock = BudgetClock()
    with clock.queued():
        stands_at_s = clock.now_s()
        assert clock.now_s() == stands_at_s
        with clock.working():
            wait_for_the_clock(clock, stands_at_s)
            with clock.paused():  # what waits for a core to time on uses up nothing, whatever else goes on
                stands_at_s = clock.now_s()
                assert clock.now_s() == stands_at_s
        stands_at_s = clock.now_s()
        assert clock.now_s() == stands_at_s
    wait_for_the_clock(clock, stands_at_s)


def wait_for_the_clock(clock: BudgetClock, since_s: float) -> None:
    """Return once the clock runs; a clock that stands lets the test time out."""
    while clock.now_s() <= since_s:
        pass
