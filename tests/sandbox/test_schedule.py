"""Many tasks side by side: in order, on cores of their own, as fast as they are asked for, gone at once."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import CancelledError, Limits, Program, SandboxInternalError, Task, TestCase, UsageError, cores
from afterburner.sandbox.cores import Cores, divide_cores, usable_cpus
from afterburner.sandbox.types import RawResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox import Sandbox

ENDLESS = Task(Program("python", "while True: pass"), [TestCase()], Limits(wall_time_s=600, cpu_time_s=600))


def printing(text: object) -> Task:
    return Task(Program("python", f"print({text!r})"), [TestCase(b"", str(text).encode())])


def test_reports_come_in_the_order_of_the_tasks(sandbox: Sandbox) -> None:
    reports = list(sandbox.run_many(printing(number) for number in range(7)))
    assert [report.verdict for report in reports] == ["accepted"] * 7
    assert [report.cases[0].stdout for report in reports] == [b"%d\n" % number for number in range(7)]


def test_tasks_are_taken_only_as_fast_as_they_are_run(sandbox: Sandbox) -> None:
    taken = 0

    def endless() -> Iterator[Task]:
        nonlocal taken
        for taken in itertools.count(1):
            yield printing(taken)

    reports = sandbox.run_many(endless(), jobs=1)
    for _ in range(3):
        assert next(reports).verdict == "accepted"
    assert taken <= 3 + 2 + 1
    reports.close()


def test_no_tasks_give_no_reports_and_no_workers_are_an_error(sandbox: Sandbox) -> None:
    assert list(sandbox.run_many([])) == []
    with pytest.raises(UsageError, match="jobs=0"):
        list(sandbox.run_many([printing(1)], jobs=0))


def test_a_program_has_its_core_to_itself_and_cannot_leave_it(sandbox: Sandbox) -> None:
    source = """
import os
import stat
before = os.sched_getaffinity(0)
try: os.sched_setaffinity(0, range(os.cpu_count()))
except OSError: pass
print(len(before), os.sched_getaffinity(0) == before, min(before))
"""
    slots = divide_cores().slots
    reports = list(sandbox.run_many([Task(Program("python", source), [TestCase()])] * 3))
    for report in reports:
        count, kept, cpu = report.cases[0].stdout.split()
        assert (count, kept) == (b"1", b"True")
        assert int(cpu) in slots
    assert os.sched_getaffinity(0) >= {*slots}, "the caller's thread is left as it was"


def test_leaving_early_kills_what_runs_at_once(sandbox: Sandbox) -> None:
    reports = sandbox.run_many([printing(1), ENDLESS, ENDLESS])
    assert next(reports).verdict == "accepted"
    started = time.monotonic()
    reports.close()
    assert time.monotonic() - started < 60, "not after the limit of 600 s"
    assert sandbox.run(Program("python", "print(1)"), [TestCase(b"", b"1")]).verdict == "accepted", "only its own"


def test_stopping_the_sandbox_stops_its_tasks_too(sandbox: Sandbox) -> None:
    with sandbox.branch() as branch:
        threading.Timer(0.3, branch.stop).start()
        with pytest.raises(CancelledError):
            list(branch.run_many([ENDLESS]))


def test_the_sandboxs_own_failure_is_raised_and_ends_the_rest(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sandbox.branch() as branch:
        monkeypatch.setattr(
            branch.backend, "container", lambda spec: (_ for _ in ()).throw(SandboxInternalError(f"no {spec.image}"))
        )
        with pytest.raises(SandboxInternalError, match="no None"):
            list(branch.run_many([printing(1), ENDLESS]))


def test_an_event_loop_goes_on_meanwhile_and_may_cancel(sandbox: Sandbox) -> None:
    async def collect() -> list[bytes]:
        tasks = [printing(number) for number in range(4)]
        return [report.cases[0].stdout async for report in sandbox.run_many_async(tasks)]

    async def run_endlessly() -> None:
        async for _ in sandbox.run_many_async([ENDLESS] * 3):
            pass

    complaints: list[object] = []

    async def both() -> tuple[list[bytes], int]:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        ticks = 0
        collecting = asyncio.create_task(collect())
        while not collecting.done():
            ticks += 1
            await asyncio.sleep(0.005)
        endless = asyncio.create_task(run_endlessly())
        await asyncio.sleep(0.3)
        endless.cancel()
        with pytest.raises(asyncio.CancelledError):
            await endless
        gc.collect()  # then the loop tells of failures that nobody has asked for
        return await collecting, ticks

    printed, ticks = asyncio.run(both())
    assert printed == [b"0\n", b"1\n", b"2\n", b"3\n"]
    assert ticks > 3
    assert complaints == []


def test_a_program_that_has_its_core_to_itself_is_looked_at_ten_times_a_millisecond_at_first(sandbox: Sandbox) -> None:
    if len(divide_cores().slots) == len(os.sched_getaffinity(0)):
        pytest.skip("with a single core the meter has none of its own")
    spinning = Program("python", "import time\nend = time.time() + 0.05\nwhile time.time() < end: pass")

    def near_samples(cpu: int) -> int:
        raw = sandbox.run_alone(spinning, cpu=cpu)
        assert isinstance(raw, RawResult)
        times = [time_s for time_s, _ in raw.memory_samples]
        return sum(1 for one, other in itertools.pairwise(times) if other - one < 0.0005)

    with divide_cores().lease() as cpu:  # on a machine with few cores, a single one is left to watch
        assert any(near_samples(cpu) > 10 for _ in range(20)), "the machine is never that busy"


@pytest.fixture
def topology(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cores, "_TOPOLOGY", tmp_path)
    return tmp_path


def describe(topology: Path, siblings: dict[int, str]) -> None:
    for cpu, text in siblings.items():
        folder = topology / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(f"{text}\n")


def test_threads_of_one_core_are_never_two_slots(topology: Path) -> None:
    describe(topology, {0: "0,4", 1: "1,5", 2: "2,6", 3: "3,7", 4: "0,4", 5: "1,5", 6: "2,6", 7: "3,7"})
    assert divide_cores(range(8)) == Cores((1, 2, 3), frozenset({0, 4}))


def test_a_core_is_shared_only_where_there_is_no_other(topology: Path) -> None:
    describe(topology, {0: "0-1", 1: "0-1"})
    assert divide_cores(range(2)) == Cores((1,), frozenset({0, 1}))


def test_work_beside_a_timed_program_keeps_off_all_cores_that_may_be_leased(
    topology: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(topology, {0: "0,4", 1: "1,5", 2: "2,6", 3: "3,7", 4: "0,4", 5: "1,5", 6: "2,6", 7: "3,7"})
    monkeypatch.setattr(cores, "usable_cpus", lambda: frozenset(range(8)))
    assert divide_cores(range(8)).beside() == {0, 4}
    assert Cores((1,), frozenset({0})).beside() == {0, 4, 2, 6, 3, 7}, "the caller has said which core is for timing"
    monkeypatch.setattr(cores, "usable_cpus", lambda: frozenset({0, 4}))
    assert divide_cores([0, 4]).beside() == frozenset(), "with one core it is done in turns"


def test_many_programs_get_more_than_one_core_of_watchers(topology: Path) -> None:
    divided = divide_cores(range(32))  # nothing is known of them, so each is its own core
    assert (len(divided.slots), len(divided.watching)) == (28, 4)
    assert not topology.joinpath("cpu0").exists()


def test_a_core_is_lent_to_one_at_a_time() -> None:
    one = Cores(divide_cores().slots[:1], frozenset(os.sched_getaffinity(0)))
    with one.lease() as cpu:
        assert cpu in one.slots
        attempts = iter([False, False, True])
        with pytest.raises(CancelledError), one.lease(lambda: next(attempts)):
            pass
    with one.lease() as again:
        assert again == cpu


def test_a_core_is_leased_to_one_process_of_the_machine_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the other's home and caches are; the kernel gives the core back when its holder is killed."""
    monkeypatch.setattr(cores, "_LOCKS", Path("/run/lock"))  # in place of this worker's own
    mine_alone = divide_cores([min(usable_cpus())])
    script = (
        "import sys, time\nfrom afterburner.sandbox.cores import divide_cores, usable_cpus\n"
        "with divide_cores([min(usable_cpus())]).lease() as cpu:\n    print(cpu, flush=True)\n    sys.stdin.read()\n"
    )
    variables = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    with mine_alone.lease() as mine:
        holder = subprocess.Popen(
            [sys.executable, "-c", script], env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    assert holder.stdout is not None
    assert holder.stdout.readline() == f"{mine}\n"
    waited: list[str] = []
    with pytest.raises(CancelledError), mine_alone.lease(lambda: bool(waited), lambda: waited.append("waiting")):
        pass
    assert waited == ["waiting"]
    holder.kill()
    holder.communicate()
    with mine_alone.lease() as again:
        assert again == mine


def test_whoever_waits_for_a_core_has_it_before_its_last_holder_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Services of one machine share its cores: one that always has work must not keep them from the others."""
    monkeypatch.setattr(cores, "_LOCKS", tmp_path)
    tmp_path.chmod(0o1777)
    monkeypatch.setattr(cores, "_OUT_OF_TURN", 10**9)  # a busy machine may not let the other look for long
    slot = Cores((0,), frozenset(os.sched_getaffinity(0)))
    leases: list[str] = []

    def lease(name: str, waits: threading.Event) -> None:
        with slot.lease(on_wait=waits.set):
            leases.append(name)

    with ThreadPoolExecutor(1) as others:
        for turn in range(20):
            waits = threading.Event()
            with slot.lease():
                leases.append(f"holder {turn}")
                other = others.submit(lease, f"other {turn}", waits)
                assert waits.wait(60)
            with slot.lease():  # at once, as a service does for the next task of its queue
                leases.append(f"holder again {turn}")
            other.result()
    assert leases == [f"{name} {turn}" for turn in range(20) for name in ("holder", "other", "holder again")]


def test_a_stopped_process_that_waits_for_a_core_keeps_it_from_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "_LOCKS", tmp_path)
    tmp_path.chmod(0o1777)
    slot = Cores((0,), frozenset(os.sched_getaffinity(0)))
    script = (
        "import sys\nfrom pathlib import Path\nfrom afterburner.sandbox import cores\n"
        "cores._LOCKS = Path(sys.argv[1])\n"
        "with cores.Cores((0,), cores.usable_cpus()).lease(on_wait=lambda: print('waiting', flush=True)):\n    pass\n"
    )
    with slot.lease():
        waiter = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        assert waiter.stdout is not None
        assert waiter.stdout.readline() == "waiting\n"
        waiter.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, waiter.pid, os.WSTOPPED)
    try:
        with slot.lease():
            pass
        waiter.send_signal(signal.SIGCONT)
        waiter.communicate()
        assert waiter.returncode == 0
    finally:
        waiter.kill()


def test_a_core_can_be_leased_by_every_user_whatever_the_umask_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "_LOCKS", tmp_path)
    tmp_path.chmod(0o1777)
    before = os.umask(0o077)
    try:
        with Cores((0,), frozenset({0})).lease():
            locks = list((tmp_path / "afterburner-cores").iterdir())
            assert {stat.S_IMODE(lock.stat().st_mode) for lock in locks} == {0o644}
    finally:
        os.umask(before)


def test_a_pipe_in_place_of_a_lock_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "_LOCKS", tmp_path)
    tmp_path.chmod(0o1777)
    for name in ("cpu-1.lock", "cpu-1-next.lock", "cpu-1-wanted.lock"):
        os.mkfifo(cores.lock_folder() / name)
    with Cores((1,), frozenset({0})).lease():
        assert Cores((1,), frozenset({0})).borrow() is None
