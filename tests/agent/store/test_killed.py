"""Runs that are killed at random moments and resumed: the same end, nothing asked or counted anew."""

from __future__ import annotations

import difflib
import json
import os
import random
import sqlite3
import subprocess
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from model_server import ModelServer, StoredRequest, serving

from afterburner.agent.judge.measuring.sequential import MOST_TESTS
from afterburner.agent.models.requests.answer_store import FILE_NAME
from afterburner.agent.store.checkpoints import open_checkpointer, stored_state
from afterburner.agent.store.stored_run import RunState
from afterburner.agent.store.table import open_runs

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.agent.loop.state import LoopState
    from afterburner.sandbox import Sandbox

pytestmark = [pytest.mark.slow, pytest.mark.timed]

SLOW = """\
def energy(values):
    for _ in range(4):
        total = 0
        for value in values:
            total += value * value
    return total


if __name__ == "__main__":
    for size in (2000, 2500, 3000, 3500, 4000):
        print(energy(list(range(size))))
"""
FAST = (
    "def energy(values):\n    total = 0\n    for value in values:\n        total += value * value\n    return total\n"
)
ANSWER = f"<thinking>\nOnce.\n</thinking>\n<solution>\n```python\n{FAST}```\n</solution>"
KILLS = int(os.environ.get("AFTERBURNER_TEST_KILLS", "2"))  # in all; `make soak-kills` asks for 30
KILLS_A_RUN = min(5, KILLS)
ANSWER_S = 1.0
AFTER_THE_SEARCH = 3  # when the winner is doubted, as if it were an iteration
MOST_LINES, MOST_S = 10, 2.0  # of progress before a kill, about a third of a run, and how long after that


class Model(ModelServer):
    """Always says the same, after a while, and keeps what it was asked in each iteration.

    `paid` are the keys by which a provider tells a repeated request, which it charges once, from a new one. `again`
    are those that were asked though their answer was stored on the client's disk already: no kill excuses that.
    """

    def __init__(self, answers: Path) -> None:
        super().__init__(self._note, delay_s=ANSWER_S)
        self.prompts: dict[int, list[str]] = defaultdict(list)
        self.paid: dict[int, set[str]] = defaultdict(set)
        self.again: list[str] = []
        self._answers = answers

    def _note(self, asked: StoredRequest, _number: int) -> str:
        iteration, key = asked.body["seed"] // 1000, asked.headers["Idempotency-Key"]
        iteration = AFTER_THE_SEARCH if "## Version B" in asked.prompt else iteration
        self.prompts[iteration].append(asked.prompt)
        self.paid[iteration].add(key)
        with closing(sqlite3.connect(f"file:{self._answers}?mode=ro", uri=True)) as stored:
            if stored.execute("SELECT 1 FROM answers WHERE key = ?", (key,)).fetchone():
                self.again.append(key)
        return ANSWER


@dataclass
class Known:
    """What was stored when the process was killed."""

    state: LoopState | None
    tests_begun: int


def known_of(run_id: str) -> Known:
    with open_runs() as runs, open_checkpointer(runs.database) as checkpointer:
        return Known(stored_state(checkpointer, run_id), runs.tests_begun(run_id))


def check_nothing_lost(before: Known, after: Known) -> None:
    """What was stored is still there as it was, but for what confirmation has decided since."""
    assert after.tests_begun >= before.tests_begun
    if before.state is None:
        return
    assert after.state is not None
    assert after.state["lineage"][: len(before.state["lineage"])] == before.state["lineage"]
    for old, new in zip(before.state["records"], after.state["records"], strict=False):
        assert new.over_original is not None or old.over_original is None
        decided = replace(
            old,
            decision=new.decision,
            verdict=new.verdict,
            reason=new.reason,
            counterexample=new.counterexample,
            over_original=new.over_original,
            over_original_figure=new.over_original_figure,
        )
        assert decided == new
    assert len(after.state["records"]) >= len(before.state["records"])
    assert after.state["used_s"] >= before.state["used_s"]


def newest_run() -> str | None:
    with open_runs() as runs:
        return next((run.run_id for run in runs.all()), None)


def killed_after(process: subprocess.Popen[str], lines: int, delay_s: float) -> bool:
    """Whether it had to be killed, so long after so many lines of progress; its children are left to themselves."""
    assert process.stderr is not None
    for _ in range(lines):
        process.stderr.readline()
    try:
        process.wait(delay_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    process.communicate()
    return False


def killed_run(program: CommandLine, seed: int) -> int:
    """Kill one run again and again at moments drawn by chance, and check its end; how often it had to be killed."""
    coin = random.Random(seed)
    moments = [(coin.randint(0, MOST_LINES), coin.uniform(0.0, MOST_S)) for _ in range(KILLS_A_RUN)]
    told = f"seed {seed}, killed after {', '.join(f'{lines} lines and {s:.2f} s' for lines, s in moments)}"
    options = ["--iterations", "2", "--max-seconds", "600", "--json", "result.json", "--model", "openai/m"]
    known, run_id, answered, kills = Known(None, 0), None, 0, 0
    answers = program.home / ".local" / "state" / "afterburner-agent" / FILE_NAME
    with serving(Model(answers)) as model:
        by_server = replace(
            program, variables={**program.variables, "OPENAI_API_BASE": model.url, "OPENAI_API_KEY": "none"}
        )
        for lines, delay_s in moments:
            if known.tests_begun == MOST_TESTS - 1:
                break  # one more and there is none left, see below
            command = ("resume", run_id) if run_id else ("run", "energies.py", *options)
            asked_before = {iteration: len(prompts) for iteration, prompts in model.prompts.items()}
            was_killed = killed_after(by_server.start(*command), lines, delay_s)
            for iteration, prompts in model.prompts.items():
                assert iteration > answered or len(prompts) == asked_before[iteration], told
            if not was_killed:
                break
            kills += 1
            run_id = newest_run()
            if run_id is not None:
                after = known_of(run_id)
                check_nothing_lost(known, after)
                known = after
                answered = known.state["iteration"] if known.state else 0
        last = by_server.start("resume", run_id) if run_id else by_server.start("run", "energies.py", *options)
        _, said = last.communicate(timeout=800)
    assert last.returncode == 0, (told, said)
    document: dict[str, Any] = json.loads((program.home / "result.json").read_text())
    assert document["decision"] == "improved", (told, document["summary"])
    assert [each["decision"] for each in document["candidates"]] == ["improved", "refused"], told
    assert document["patch"].count("\n-    for _ in range(4):\n") == 1, told
    for prompts in model.prompts.values():
        for each in prompts:
            changed = "\n".join(difflib.unified_diff(prompts[0].splitlines(), each.splitlines(), lineterm=""))
            assert each == prompts[0], f"{told}: another prompt:\n{changed}"
    assert {iteration: len(keys) for iteration, keys in model.paid.items()} == {1: 1, 2: 1, AFTER_THE_SEARCH: 1}, (
        f"{told}: paid twice"
    )
    assert model.again == [], f"{told}: asked though the answer was stored"
    # Only a kill between the server's answer and its storing lets a request be made again.
    assert all(len(prompts) <= 1 + kills for prompts in model.prompts.values()), told
    with open_runs() as runs:
        [kept] = runs.all()
        assert kept.state is RunState.FINISHED, told
        assert max(known.tests_begun, 1) <= runs.tests_begun(kept.run_id) <= min(known.tests_begun + 1, kills + 1), told
    assert (program.home / "energies.py").read_text() == SLOW
    return kills


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_runs_that_are_killed_again_and_again_end_as_if_they_had_not_been(
    program: CommandLine,
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is none
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kills = seed = 0
    while kills < KILLS:
        home = program.home / str(seed)
        home.mkdir()
        (home / "energies.py").write_text(SLOW)
        monkeypatch.setenv("XDG_STATE_HOME", str(home / ".local" / "state"))
        kills += killed_run(replace(program, home=home), seed)
        seed += 1
