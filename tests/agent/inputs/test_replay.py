"""Which calls can be judged by: those on which the original agrees with itself, chance and the time held still."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import WorkloadError
from afterburner.agent.inputs.harness_answers import FoundCall
from afterburner.agent.inputs.judging import judging_notes
from afterburner.agent.inputs.replayed_calls import Replay
from afterburner.agent.types import Workload
from afterburner.sandbox import CallCase, Verdict

if TYPE_CHECKING:
    from conftest import Project

    from afterburner.agent.types import Skipped, WorkloadCall
    from afterburner.sandbox import Limits, Program, Report

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
        "abort": lambda: os._exit(4),
        "hangs": lambda: __import__("queue").Queue().get(),
    }[what]()
"""
STEADY = ("constant", "seeded", "warns")
CLOCKS = ("time", "date", "text", "elapsed", "logs", "waits", "spins")
CHANCE = ("urandom", "uuid", "secrets", "system")


def replayed(
    project: Project, *names: str, float_tolerance: float | None = None, alone_s: float = math.inf
) -> tuple[Replay, list[WorkloadCall], list[Skipped]]:
    """What is kept of a call `f(name)` for each name, and what not."""
    project.write("steady.py", SOURCE)
    target = project.target("steady.py", "f")
    environment = project.environment(target)
    replay = Replay(project.sandbox, target, environment, project.limits, 7, float_tolerance, None, alone_s)
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
    assert all("random source" in told[name] for name in CHANCE)
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
    assert "clocks held still" in clock


def test_the_clocks_of_a_rewrite_stand_still_as_the_originals_do(project: Project) -> None:
    replay, (call,), _ = replayed(project, "time")
    case = CallCase((call.blob,), (call.expected,), fixed_clock=True)
    report = replay._run([case])[0]
    assert report.verdict is Verdict.ACCEPTED
    assert report.call_measurement is not None
    assert 0 < report.call_measurement.wall_time_s < 1  # our own clocks go on


def test_a_call_that_hangs_is_made_once_alone_and_not_for_as_long_as_a_batch(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits for something that is set elsewhere took no time when it was recorded, and is not waited for long."""
    project.limits = replace(project.limits, wall_time_s=100.0, cpu_time_s=100.0)
    made: list[tuple[tuple[bytes, ...], float]] = []
    run = project.sandbox.run

    def counted(program: Program, cases: list[CallCase], limits: Limits) -> Report:
        made.extend((case.calls, limits.wall_time_s) for case in cases)
        return run(program, cases, limits)

    monkeypatch.setattr(project.sandbox, "run", counted)
    # In every order the process ends before it comes to the call that hangs.
    order = ("exit", "hangs", "abort", "constant", "urandom", "seeded", "exit")
    _, kept, skipped = replayed(project, *order)
    assert names(kept) == ["constant", "seeded"]
    [told] = [each.reason for each in skipped if each.reason.startswith("hangs")]
    assert told.startswith("hangs: it does not end when it is repeated (stopped after ")
    # Three batches, and three more when the clocks stand still, without the call that hung.
    assert [len(calls) for calls, _ in made if len(calls) > 1] == [7, 7, 7, 6, 6, 6]
    alone = [(calls[0], limit_s) for calls, limit_s in made if len(calls) == 1 and calls[0]]
    assert Counter(b"hangs" in blob for blob, _ in alone) == {True: 1, False: 2 * 3 * len(set(order) - {"hangs"})}
    assert max(limit_s for _, limit_s in alone) < project.limits.wall_time_s


@pytest.mark.slow
def test_calls_that_take_too_long_together_are_made_by_several_processes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look at their effects may take far longer than what was allowed for the calls."""
    project.write("slow.py", "import time\n\ndef f(number):\n    time.sleep(0.4)\n    return number\n")
    target = project.target("slow.py", "f")
    limits = replace(project.limits, wall_time_s=6.0)
    replay = Replay(project.sandbox, target, project.environment(target), limits, known_names=("time",))
    made: list[int] = []
    run = project.sandbox.run

    def counted(program: Program, cases: list[CallCase], limits: Limits) -> Report:
        made.extend(len(case.calls) for case in cases)
        return run(program, cases, limits)

    monkeypatch.setattr(project.sandbox, "run", counted)
    found = [FoundCall(pickle.dumps(((at,), {}, {}, ()), 4), "test", str(at), "returned", at, 0.0) for at in range(12)]
    kept, skipped = replay.keep_usable(found)
    assert (len(kept), skipped) == (12, [])
    assert made[:3] == [12, 12, 12]
    assert any(1 < calls < 12 for calls in made[3:]), "those that were left had a process together"


def test_calls_whose_time_is_up_are_left_out_and_that_is_told(project: Project) -> None:
    _, kept, skipped = replayed(project, "exit", "constant", alone_s=0.0)
    assert kept == []
    assert [each.reason.partition(": ")[0] for each in skipped] == ["exit", "constant"]
    assert all("the time for repeating each alone was up before its turn" in each.reason for each in skipped)


def test_where_no_call_could_be_made_again_the_error_says_so(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write(
        "ready.py",
        "import os, threading\nREADY = threading.Event()\n\n"
        "def leave(code):\n    if not READY.is_set():\n        os._exit(code)\n\n"
        'if __name__ == "__main__":\n    READY.set()\n    leave(3)\n',
    )
    monkeypatch.setattr("afterburner.agent.inputs.build.REPLAY_SHARE", 0.0)
    with pytest.raises(WorkloadError, match=r"up before its turn\. Give more time with --max-seconds"):
        project.workload("ready.py", "leave")
