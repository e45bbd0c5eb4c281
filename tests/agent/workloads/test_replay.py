"""Which calls can be judged by: those on which the original agrees with itself, chance and the time held still."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.types import Workload
from afterburner.agent.workloads.answers import FoundCall
from afterburner.agent.workloads.judging import judging_notes
from afterburner.agent.workloads.replay import Replay
from afterburner.sandbox import CallCase, Verdict

if TYPE_CHECKING:
    from conftest import Project

    from afterburner.agent.types import Skipped, WorkloadCall

SOURCE = """\
import datetime, logging, os, random, secrets, sys, time, uuid, warnings
from time import perf_counter

def waits():
    import queue, threading
    began = threading.Event()
    began.wait(0.01)
    try:
        queue.Queue().get(timeout=0.01)
    except queue.Empty:
        return time.monotonic()

def logs():
    logging.basicConfig(format="%(asctime)s %(message)s", force=True)
    logging.warning("slow")

def elapsed():
    start = perf_counter()
    return perf_counter() - start

def spins():
    end, turns = time.time() + 0.05, 0
    while time.time() < end:
        turns += 1
    return turns

def f(what):
    return {
        "constant": lambda: 1,
        "seeded": lambda: [random.random(), random.gauss(0, 1)],
        "warns": lambda: warnings.warn("old"),
        "time": lambda: (time.time(), time.time_ns(), time.monotonic(), time.process_time_ns()),
        "date": lambda: (datetime.datetime.now(), datetime.date.today(), datetime.datetime.now(datetime.timezone.utc)),
        "text": lambda: (time.strftime("%X"), time.ctime(), time.asctime(), time.localtime(), time.gmtime()),
        "elapsed": elapsed, "logs": logs, "waits": waits, "spins": spins,
        "urandom": lambda: os.urandom(4), "uuid": lambda: uuid.uuid4(), "secrets": lambda: secrets.token_hex(),
        "system": lambda: random.SystemRandom().random(),
        "set": lambda: list({str(n) for n in range(30)}),
        "address": lambda: id(object()),
        "sum": lambda: sum({float(str(n) + ".1"): str(n) for n in map(int, {str(n) for n in range(200)})}),
        "lock": lambda: __import__("threading").Lock(),
        "exit": lambda: os._exit(3),
    }[what]()
"""
STEADY = ("constant", "seeded", "warns")
CLOCKS = ("time", "date", "text", "elapsed", "logs", "waits", "spins")
CHANCE = ("urandom", "uuid", "secrets", "system")


def replayed(
    project: Project, *names: str, float_tolerance: float | None = None
) -> tuple[Replay, list[WorkloadCall], list[Skipped]]:
    """What is kept of a call `f(name)` for each name, and what not."""
    project.write("steady.py", SOURCE)
    target = project.target("steady.py", "f")
    environment = project.environment(target)
    replay = Replay(project.sandbox, target, environment, project.limits, 7, float_tolerance)
    found = [
        FoundCall(pickle.dumps(((name,), {}, {}, ()), 4), "test", name, "returned", number, 0.0)
        for number, name in enumerate(names, start=1)
    ]
    kept, skipped = replay.keep_usable(found)
    return replay, kept, skipped


def names(kept: list[WorkloadCall]) -> list[str]:
    return [call.description for call in kept]


def test_calls_that_agree_with_themselves_see_the_real_clock(project: Project) -> None:
    replay, kept, skipped = replayed(project, *STEADY, "lock", "exit")
    assert names(kept) == list(STEADY)
    assert replay.fixed_clock is False
    assert [each.reason.partition(" (")[0] for each in skipped] == [
        "lock: its outcome cannot be compared",
        "exit: the original fails on it: the process ended in call 1 of 1",
    ]


def test_where_the_time_decides_clocks_stand_still_and_that_is_told(project: Project) -> None:
    replay, kept, skipped = replayed(project, *STEADY, *CLOCKS, *CHANCE, "set", "address")
    assert names(kept) == [*STEADY, *CLOCKS]
    assert replay.fixed_clock is True
    told = {each.reason.partition(":")[0]: each.reason for each in skipped}
    assert set(told) == {*CHANCE, "set", "address"}
    assert all("source of chance" in told[name] for name in CHANCE)
    assert all("addresses" in told[name] for name in ("set", "address"))
    # The judge, told to hold the clocks still, agrees with what was found.
    parts, dropped = replay.confirm([kept])
    assert (names(parts[0]), dropped) == ([*STEADY, *CLOCKS], [])


def test_chance_is_named_where_holding_the_clocks_still_is_of_no_use(project: Project) -> None:
    replay, kept, skipped = replayed(project, "constant", "uuid")
    assert (names(kept), replay.fixed_clock) == (["constant"], False)
    assert "uuid4" in skipped[0].reason


@pytest.mark.parametrize(("tolerance", "kept"), [(None, []), (1e-9, ["sum"])])
def test_with_a_tolerance_the_original_may_differ_by_as_much(
    project: Project, tolerance: float | None, kept: list[str]
) -> None:
    assert names(replayed(project, "sum", float_tolerance=tolerance)[1]) == kept


def test_whoever_reads_the_report_is_told_how_calls_were_judged() -> None:
    assert judging_notes(Workload()) == ()
    [tolerance, clock] = judging_notes(Workload(float_tolerance=1e-6, fixed_clock=True))
    assert "may differ by 1e-06" in tolerance
    assert "clocks that stand still" in clock


def test_the_clocks_of_a_rewrite_stand_still_as_the_originals_do(project: Project) -> None:
    replay, (call,), _ = replayed(project, "time")
    case = CallCase((call.blob,), (call.expected,), fixed_clock=True)
    report = replay._run([case])[0]
    assert report.verdict is Verdict.ACCEPTED
    assert report.call_measurement is not None
    assert 0 < report.call_measurement.wall_time_s < 1  # our own clocks go on
