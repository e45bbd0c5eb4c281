"""Runs that are killed at random moments and resumed: the same end, nothing asked or counted anew."""

from __future__ import annotations

import json
import random
import subprocess
import threading
from collections import defaultdict
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.runs.stored import RunState
from afterburner.agent.runs.table import open_runs
from afterburner.agent.selection.sequential import MOST_TESTS
from afterburner.agent.store import open_checkpointer, stored_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.agent.state import LoopState
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
RUNS, KILLS = 6, 5
MOST_LINES, MOST_S = 10, 2.0  # of progress before a kill, about a third of a run, and how long after that


@dataclass
class Model:
    """A server that speaks OpenAI's dialect, always says the same, and keeps what it was asked in each iteration.

    `paid` are the keys by which a provider tells a repeated request, which it charges once, from a new one.
    """

    server: ThreadingHTTPServer
    asked: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    paid: dict[int, set[str | None]] = field(default_factory=lambda: defaultdict(set))

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@pytest.fixture
def model() -> Iterator[Model]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.asked[request["seed"] // 1000].append(json.dumps(request["messages"]))
            served.paid[request["seed"] // 1000].add(self.headers["Idempotency-Key"])
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            data = json.dumps(answer | {"usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Model(server)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield served
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def project(program: CommandLine, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: ARG001 - skips
    monkeypatch.setenv("XDG_STATE_HOME", str(program.home / ".local" / "state"))
    (program.home / "energies.py").write_text(SLOW)
    return program.home


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
        undecided = replace(new, decision=old.decision, verdict=old.verdict, reason=old.reason)
        assert undecided == replace(old, counterexample=new.counterexample)
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


@pytest.mark.timeout(900)  # on a busy machine a run takes minutes
@pytest.mark.parametrize("seed", range(RUNS))
def test_a_run_that_is_killed_again_and_again_ends_as_if_it_had_not_been(
    seed: int, program: CommandLine, project: Path, model: Model
) -> None:
    coin = random.Random(seed)
    moments = [(coin.randint(0, MOST_LINES), coin.uniform(0.0, MOST_S)) for _ in range(KILLS)]
    told = f"seed {seed}, killed after {', '.join(f'{lines} lines and {s:.2f} s' for lines, s in moments)}"
    options = ["--iterations", "2", "--max-seconds", "600", "--json", "result.json", "--model", "openai/m"]
    by_server = replace(program, variables={"OPENAI_API_BASE": model.address, "OPENAI_API_KEY": "none"})
    known, run_id, answered, kills = Known(None, 0), None, 0, 0
    for lines, delay_s in moments:
        if known.tests_begun == MOST_TESTS - 1:
            break  # one more and there is none left, see below
        command = ("resume", run_id) if run_id else ("run", "energies.py", *options)
        asked_before = {iteration: len(prompts) for iteration, prompts in model.asked.items()}
        process = by_server.start(*command)
        was_killed = killed_after(process, lines, delay_s)
        for iteration, prompts in model.asked.items():
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
    document: dict[str, Any] = json.loads((project / "result.json").read_text())
    assert document["decision"] == "improved", (told, document["summary"])
    assert [each["decision"] for each in document["candidates"]] == ["improved", "refused"], told
    assert document["patch"].count("\n-    for _ in range(4):\n") == 1, told
    assert all(len(set(prompts)) == 1 for prompts in model.asked.values()), f"{told}: another prompt"
    assert {iteration: len(keys) for iteration, keys in model.paid.items()} == {1: 1, 2: 1}, f"{told}: paid twice"
    assert None not in model.paid[1] | model.paid[2], told
    # Only a kill between the server's answer and its storing lets a request be made again.
    assert all(len(prompts) <= 1 + kills for prompts in model.asked.values()), told
    with open_runs() as runs:
        [kept] = runs.all()
        assert kept.state is RunState.FINISHED, told
        assert max(known.tests_begun, 1) <= runs.tests_begun(kept.run_id) <= min(known.tests_begun + 1, kills + 1), told
    assert (project / "energies.py").read_text() == SLOW
