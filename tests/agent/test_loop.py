"""The loop over LangGraph: what a crash leaves, how it goes on, and that nothing survives a kill."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from afterburner.agent import optimize as optimizing
from afterburner.agent.errors import ProposerError
from afterburner.agent.loop import Loop, empty_state
from afterburner.agent.proposers.base import Proposal, ProposalRequest
from afterburner.agent.selection.decide import Judge
from afterburner.agent.store import new_run_id, open_checkpointer
from afterburner.agent.targets.locate import find_target
from afterburner.agent.types import Decision, Objective, Rewrite, RunSettings
from afterburner.sandbox.sandbox import Sandbox

SLOW = """\
def common(left, right):
    found = []
    for value in left:
        if value in right:
            found.append(value)
    return found


if __name__ == "__main__":
    for size in (500, 600, 700, 800):
        print(len(common(list(range(size)), list(range(size - 5, 2 * size)))))
"""
WITH_SET = "def common(left, right):\n    known = set(right)\n    return [value for value in left if value in known]\n"
WRONG = "def common(left, right):\n    return sorted(set(left) & set(right))[1:]\n"


class Scripted:
    """Gives what it is told for each iteration, and counts how often it is asked."""

    name = "scripted"

    def __init__(self, *answers: list[str] | Exception) -> None:
        self.answers = answers
        self.asked: list[int] = []

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        self.asked.append(request.iteration)
        answer = self.answers[request.iteration - 1] if request.iteration <= len(self.answers) else []
        if isinstance(answer, Exception):
            raise answer
        return [Proposal(self.name, Rewrite(code)) for code in answer]


MakeLoop = Callable[[Scripted], Loop]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def make_loop(tmp_path: Path, sandbox: Sandbox) -> MakeLoop:
    path = tmp_path / "project" / "matching.py"
    path.parent.mkdir()
    path.write_text(SLOW)
    settings = RunSettings(file=str(path), function="common", iterations=3)
    target = find_target(path, "common")
    environment = optimizing._environment(settings, target, sandbox, tmp_path)
    bench = optimizing._bench(settings, target, sandbox, environment, lambda _: None)

    def make(proposer: Scripted) -> Loop:
        clock = optimizing.RunClock.start(120)
        return Loop(
            bench=bench,
            proposer=proposer,
            judge=Judge(Objective.TIME, 0.05, 0),
            settings=settings,
            search_until=clock.search_until,
            confirm_until=clock.confirm_until,
            on_event=lambda _: None,
        )

    return make


def test_a_run_goes_on_after_a_crash_without_repeating_what_was_stored(make_loop: MakeLoop) -> None:
    run = {"configurable": {"thread_id": new_run_id()}}
    broken = Scripted([WITH_SET, WRONG], ProposerError("the model is gone"))
    with open_checkpointer() as checkpointer:
        graph = make_loop(broken).compile(checkpointer)
        with pytest.raises(ProposerError):
            graph.invoke(empty_state(), run, durability="sync")
    mended = Scripted([], [])
    with open_checkpointer() as checkpointer:
        state = make_loop(mended).compile(checkpointer).invoke(None, run, durability="sync")
    assert mended.asked == [2]
    assert [record.id for record in state["records"]] == ["1.1", "1.2"]
    assert [record.decision for record in state["records"]] == [Decision.IMPROVED, Decision.WRONG]
    assert state["confirmation"].confirmed
    assert state["confirmation"].winner_id == "1.1"


def test_each_refusal_has_its_reason_and_repeats_are_not_run_again(make_loop: MakeLoop) -> None:
    same = "def common(left, right):\n    # the very same\n" + "\n".join(SLOW.splitlines()[1:6]) + "\n"
    other_name = "def other(left, right):\n    return []\n"
    endless = "def common(left, right):\n    while True:\n        pass\n"
    loop = make_loop(Scripted([same, other_name, endless, WRONG, WRONG]))
    with open_checkpointer() as checkpointer:
        state = loop.compile(checkpointer).invoke(
            empty_state(), {"configurable": {"thread_id": new_run_id()}}, durability="sync"
        )
    reasons = [(record.decision, record.reason) for record in state["records"]]
    assert [decision for decision, _ in reasons] == [
        Decision.REFUSED, Decision.REFUSED, Decision.WRONG, Decision.WRONG, Decision.REFUSED,
    ]  # fmt: skip
    assert "the same code as original" in reasons[0][1]
    assert "common" in reasons[1][1]
    assert "stopped after" in reasons[2][1]
    assert "returned" in reasons[3][1]
    assert "the same code as 1.4" in reasons[4][1]
    assert state["confirmation"] is None


def descendants(pid: int) -> set[tuple[int, str]]:
    """Process ids with their start times, so that a reused number is another process."""
    found: set[tuple[int, str]] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            started = started_at(int(child))
            if started:
                found |= {(int(child), started)} | descendants(int(child))
    return found


def started_at(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


@pytest.mark.usefixtures("sandbox")
def test_a_killed_run_leaves_nothing_once_the_next_has_begun(tmp_path: Path) -> None:
    path, temporary = tmp_path / "matching.py", tmp_path / "temporary"
    path.write_text(SLOW)
    temporary.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "XDG_RUNTIME_DIR"}
    environment["TMPDIR"] = str(temporary)
    command = [sys.executable, "-m", "afterburner.agent", "run", str(path), "--model", "rules"]
    victim = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert victim.stderr is not None
    for line in victim.stderr:
        if "profile" in line:
            break
    children: set[tuple[int, str]] = set()
    until = time.monotonic() + 20
    while not children and time.monotonic() < until:
        children = descendants(victim.pid)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    assert children
    until = time.monotonic() + 20
    while any(started_at(pid) == started for pid, started in children) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(started_at(pid) == started for pid, started in children)
    assert path.read_text() == SLOW
    subprocess.run([*command, "--max-seconds", "1"], env=environment, check=True, capture_output=True)
    assert list(temporary.iterdir()) == []
    assert str(temporary) not in Path("/proc/self/mountinfo").read_text()
