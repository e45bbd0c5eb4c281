"""Cancelling from another thread, at moments drawn by chance: it ends what runs, leaves nothing, harms nobody else."""

from __future__ import annotations

import random
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.sandbox import (
    CallCase,
    CancelledError,
    CancelToken,
    FunctionEntry,
    Limits,
    Program,
    Sandbox,
    TestCase,
    Verdict,
)
from afterburner.sandbox.driver.call_blobs import dump_call
from afterburner.sandbox.duels import Duel

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 20
LONG = Limits(wall_time_s=600, cpu_time_s=600)
ENDLESS = "def f(n):\n    while True:\n        n += 1\n"
CALL = CallCase((dump_call((1,), {}, {}),))
ENTRY = FunctionEntry("target", "/afterburner/program/target.py", "f")
SLOW_TO_COMPILE = """\
template <int N, int M> struct Work { enum : long { value = Work<N - 1, M>::value + Work<N - 1, M + N>::value }; };
template <int M> struct Work<0, M> { enum : long { value = M }; };
int main() { return Work<24, 0>::value != 0; }
"""


def run(sandbox: Sandbox, mark: str) -> object:
    return sandbox.run(Program("python", "while True: pass", arguments=(mark,)), [TestCase()], LONG)


def compile_(sandbox: Sandbox, mark: str) -> object:
    return sandbox.run(Program("cpp", f"{SLOW_TO_COMPILE}// {mark}\n"), [TestCase()], LONG)


def sample(sandbox: Sandbox, _: str) -> object:
    groups = ((0,), (1,))
    duel = Duel((ENDLESS,), CALL, groups, 600.0, (0, 1))
    return sandbox.duel(Program("python", ENDLESS, ENTRY), duel, LONG)


def look_side_by_side(sandbox: Sandbox, mark: str) -> object:
    return side_by_side(sandbox, [lambda: run(sandbox, mark)] * 3)


def children() -> set[int]:
    """The processes that this one has started and that are still there."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has just ended
            found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found


@pytest.mark.parametrize("work", [run, compile_, sample, look_side_by_side])
def test_cancelling_ends_the_work_and_leaves_nothing(sandbox: Sandbox, work: Callable[[Sandbox, str], object]) -> None:
    """The delays reach from before the container is there to when its program has long been running."""
    chance = random.Random(work.__name__)
    processes, threads = children(), threading.active_count()
    folder = sandbox.staging_folder().parent
    files = set(folder.iterdir())
    for _ in range(TIMES):
        token = CancelToken()
        timer = threading.Timer(chance.choice([0.0, 0.005, 0.02, 0.2]) * chance.random(), token.cancel)
        with sandbox.branch() as branch, token.on_cancel(branch.stop):
            timer.start()
            began = time.monotonic()
            with pytest.raises(CancelledError):
                work(branch, uuid.uuid4().hex)
            assert time.monotonic() - began < 60, "it ended by itself"
        timer.join()
        assert children() <= processes
        assert set(folder.iterdir()) <= files
    assert threading.active_count() <= threads
    assert not sandbox.stopped


def test_cancelling_one_job_does_not_harm_another(sandbox: Sandbox) -> None:
    started, token = threading.Event(), CancelToken()

    def other() -> list[Verdict]:
        found = []
        while not token.cancelled or len(found) < 3:
            found.append(sandbox.run(Program("python", "print(1)"), [TestCase(b"", b"1")]).verdict)
            started.set()
        return found

    with ThreadPoolExecutor(1) as pool, sandbox.branch() as branch, token.on_cancel(branch.stop):
        verdicts = pool.submit(other)
        assert started.wait(60)
        threading.Timer(0.1, token.cancel).start()
        with pytest.raises(CancelledError):
            run(branch, "mine")
        assert set(verdicts.result(60)) == {Verdict.ACCEPTED}


def test_what_a_job_has_staged_is_gone_with_its_branch(sandbox: Sandbox) -> None:
    with sandbox.branch() as branch:
        folder = branch.staging_folder()
        (folder / "copy.py").write_text("x = 1\n")
        branch.stop()
        with pytest.raises(CancelledError):
            run(branch, "never")
    assert not folder.exists()


def test_what_is_cancelled_is_not_begun(sandbox: Sandbox) -> None:
    token = CancelToken()
    token.cancel()
    with sandbox.branch() as branch, token.on_cancel(branch.stop), pytest.raises(CancelledError):
        run(branch, "never")


def test_a_callback_is_called_once_and_only_while_it_is_registered() -> None:
    token, called = CancelToken(), list[str]()
    with token.on_cancel(lambda: called.append("early")):
        pass
    with token.on_cancel(lambda: called.append("now")):
        token.cancel()
        token.cancel()
    with token.on_cancel(lambda: called.append("late")):
        assert called == ["now", "late"]
    assert token.wait(0)
    with pytest.raises(CancelledError):
        token.raise_if_cancelled()


def test_a_callback_that_fails_keeps_no_other_from_being_called() -> None:
    token, called = CancelToken(), list[str]()

    def fail() -> None:
        raise RuntimeError("mine")

    with token.on_cancel(fail), token.on_cancel(lambda: called.append("after it")):
        with pytest.raises(RuntimeError, match="mine"):
            token.cancel()
        assert called == ["after it"]
    assert token.cancelled
