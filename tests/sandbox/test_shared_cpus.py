"""CPUs that several jobs share: what is not timed keeps off a core that another job is timed on."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import CancelledError, Limits, Program, TestCase, cores
from afterburner.sandbox.cores import Cores, divide_cores
from afterburner.sandbox.shared_cpus import CpuShare, SharedCpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from afterburner.sandbox import Sandbox

WHERE = "import os; print(*sorted(os.sched_getaffinity(0)))"


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SharedCpus:
    """Give two CPUs, the second of them for timing, which nobody else on this machine leases."""
    tmp_path.chmod(0o1777)
    monkeypatch.setattr(cores, "_LOCKS", tmp_path)
    first, second = sorted(os.sched_getaffinity(0))[:2]
    return SharedCpus(Cores((second,), frozenset({first})))


def own_cpus() -> frozenset[int]:
    return frozenset(os.sched_getaffinity(0))


def never() -> bool:
    return False


@pytest.fixture
def in_threads() -> Iterator[Callable[[Callable[[], object]], threading.Event]]:
    """Start work in threads, which have all ended after the test; each event is set when the work is done."""
    threads = list[threading.Thread]()

    def start(work: Callable[[], object]) -> threading.Event:
        done = threading.Event()

        def run() -> None:
            work()
            done.set()

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return done

    yield start
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_an_untimed_program_keeps_off_a_core_that_is_leased(shared: SharedCpus) -> None:
    before = own_cpus()
    [slot] = shared.cores.slots
    with shared.cores.lease(), shared.one(never):
        assert own_cpus() == shared.beside
        assert slot not in own_cpus()
    assert own_cpus() == before


def test_one_program_runs_beside_the_slots_and_the_next_on_a_free_slot(shared: SharedCpus) -> None:
    taken = list[frozenset[int]]()
    [slot] = shared.cores.slots
    with ExitStack() as stack:
        for _ in shared.beside:  # each in a thread of its own: for one thread a second CPU is the same one
            hold(stack, shared, taken)
        assert taken == [shared.beside] * len(shared.beside)
        hold(stack, shared, taken)
        assert slot in taken[-1]
        attempts = iter([False, False, True])
        with pytest.raises(CancelledError), shared.one(lambda: next(attempts)):
            pass
        attempts = iter([False, False, True])
        with pytest.raises(CancelledError), shared.cores.lease(lambda: next(attempts)):
            pass
    with shared.cores.lease() as cpu:
        assert cpu == slot


def hold(stack: ExitStack, shared: SharedCpus, taken: list[frozenset[int]]) -> None:
    """Take a CPU in another thread until the stack is left."""
    has_one, give_back = threading.Event(), threading.Event()

    def keep() -> None:
        with shared.one(never):
            taken.append(own_cpus())
            has_one.set()
            give_back.wait(60)

    thread = threading.Thread(target=keep)
    thread.start()
    stack.callback(thread.join, 60)
    stack.callback(give_back.set)
    assert has_one.wait(60)


def test_whoever_waits_to_time_comes_before_whoever_would_borrow(
    shared: SharedCpus, in_threads: Callable[[Callable[[], object]], threading.Event]
) -> None:
    """The slot is borrowed; a lease and another program wait for it, the program for longer."""
    order, waits = list[str](), threading.Event()
    [slot] = shared.cores.slots

    def time_something() -> None:
        with shared.cores.lease(on_wait=waits.set):
            order.append("timed")

    def judge_something() -> None:
        with shared.one(never):
            order.append("judged" if slot in own_cpus() else "judged beside")

    with ExitStack() as beside:
        for _ in shared.beside:
            hold(beside, shared, [])
        with ExitStack() as borrowed:
            hold(borrowed, shared, [])
            judged = in_threads(judge_something)
            timed = in_threads(time_something)
            assert waits.wait(60)
        assert timed.wait(60)
        assert judged.wait(60)
    assert order == ["timed", "judged"]


def test_programs_of_a_share_run_where_nothing_is_timed(shared: SharedCpus, sandbox: Sandbox) -> None:
    """In a branch of a branch, too; a program that is pinned needs no CPU of the share."""
    [slot] = shared.cores.slots
    with sandbox.branch() as branch:
        branch.share = CpuShare(shared, nullcontext, nullcontext)
        with branch.branch() as inner, shared.cores.lease() as cpu:
            [case] = inner.run(Program("python", WHERE), [TestCase(b"")], Limits()).cases
            [pinned] = inner.run(Program("python", WHERE), [TestCase(b"")], Limits(), cpu=cpu).cases
    assert set(map(int, case.stdout.split())) == set(shared.beside)
    assert pinned.stdout.split() == [str(slot).encode()]
    assert branch.cpus == own_cpus()


def test_a_program_that_waits_for_a_cpu_is_cancelled_at_once(
    shared: SharedCpus, sandbox: Sandbox, in_threads: Callable[[Callable[[], object]], threading.Event]
) -> None:
    with sandbox.branch() as branch, ExitStack() as held:
        branch.share = CpuShare(shared, nullcontext, nullcontext)
        for _ in shared.beside:
            hold(held, shared, [])

        def run() -> None:
            with pytest.raises(CancelledError):
                branch.run(Program("python", WHERE), [TestCase(b"")])

        with shared.cores.lease():
            done = in_threads(run)
            assert not done.wait(0.2)
            branch.stop()
            assert done.wait(60)


def test_the_machine_divides_into_cpus_beside_and_slots() -> None:
    shared = SharedCpus(divide_cores())
    assert shared.cpus == own_cpus()
    assert shared.beside.isdisjoint(shared.cores.slots)
