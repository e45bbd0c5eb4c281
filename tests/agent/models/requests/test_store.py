"""The store of answers: several processes, a bound, its owner's alone, and what a killed run leaves in it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import ModelServer, serving

from afterburner.agent.models.requests.answer_store import AnswerStore
from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.agent.models.requests.request import ModelRequest
from afterburner.agent.models.requests.reservation import Reservation
from afterburner.agent.models.requests.spending import Budget
from afterburner.agent.options import Caps
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.folders import state_folder

if TYPE_CHECKING:
    from pathlib import Path

WRITER = """
import sys
from afterburner.agent.models.requests.reservation import Reservation
from afterburner.agent.models.requests.answer_store import AnswerStore
store = AnswerStore()
for number in range(25):
    store.put(f"{sys.argv[1]}-{number}", "answer " + sys.argv[1])
    assert store.get(f"{sys.argv[1]}-{number}") == "answer " + sys.argv[1]
    row = store.sent("run", Reservation(1, 1, 1.0))
    store.answered(Reservation(1, 1, 1.0, row), 1, 2, 0.5)
store.close()
"""


@pytest.mark.slow
def test_several_processes_use_it_at_once() -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(number)]) for number in range(4)]
    assert [writer.wait(timeout=120) for writer in writers] == [0] * 4
    with closing(AnswerStore()) as store:
        assert all(store.get(f"{writer}-{number}") for writer in range(4) for number in range(25))
        usage = store.usage("run")
    assert (usage.requests, usage.completion_tokens, usage.cost_usd, usage.lost) == (100, 200, 50.0, 0)


def test_it_is_its_owners_alone() -> None:
    with closing(AnswerStore()) as store:
        store.put("key", "body")
        files = list(state_folder().glob("answers.sqlite*"))
        assert len(files) >= 2, "a write-ahead log lies beside it"
        assert [path.stat().st_mode & 0o077 for path in [*files, state_folder()]] == [0] * (len(files) + 1)


def test_the_oldest_answers_make_room(tmp_path: Path) -> None:
    with closing(AnswerStore(tmp_path / "small.sqlite", most_bytes=100)) as store:
        for number in range(6):
            store.put(str(number), "x" * 30)
            time.sleep(0.002)
        assert [store.get(str(number)) is not None for number in range(6)] == [False] * 3 + [True] * 3
        store.put("huge", "x" * 1000)
        assert store.get("huge") is not None, "the last answer stays: it is about to be used"
        assert store.get("5") is None


def test_a_file_that_is_no_store_is_named() -> None:
    state_folder().mkdir(parents=True)
    (state_folder() / "answers.sqlite").write_bytes(b"this is not a database, and long enough to be sure of it" * 50)
    with pytest.raises(AfterburnerError, match=r"answers\.sqlite.*XDG_STATE_HOME"):
        AnswerStore()


def test_what_was_under_way_when_a_run_was_killed_counts_as_lost() -> None:
    most = Reservation(100, 200, 0.25)
    with closing(AnswerStore()) as store:
        budget = Budget(Caps(cost_usd=1.0), ledger=store, run_id="killed")
        answered, refused, lost, _under_way = (budget.reserve(most) for _ in range(4))
        budget.settle(answered, 10, 20, 0.01)
        budget.refuse(refused)
        budget.lose(lost)
    with closing(AnswerStore()) as store:
        again = Budget(Caps(cost_usd=1.0), ledger=store, run_id="killed")
        usage = again.usage()
        assert (usage.requests, usage.tokens, usage.lost, usage.lost_tokens) == (4, 30, 2, 600)
        assert usage.most_cost_usd == pytest.approx(0.51)
        again.reserve(most)
        with pytest.raises(CapReachedError, match="--max-cost"):
            Budget(Caps(cost_usd=1.0), ledger=store, run_id="killed").reserve(most)
        assert store.usage("another").requests == 0


def test_every_part_of_a_request_is_in_its_key() -> None:
    messages = ({"role": "user", "content": "é"},)
    whole = ModelRequest("m", "host/v1", messages, 1, 2, {"temperature": 0.5, "max_tokens": 7})
    others = [
        ModelRequest("other", "host/v1", messages, 1, 2, {"temperature": 0.5, "max_tokens": 7}),
        ModelRequest("m", "other/v1", messages, 1, 2, {"temperature": 0.5, "max_tokens": 7}),
        ModelRequest("m", "host/v1", ({"role": "user", "content": "e"},), 1, 2, {"temperature": 0.5, "max_tokens": 7}),
        ModelRequest("m", "host/v1", messages, 2, 2, {"temperature": 0.5, "max_tokens": 7}),
        ModelRequest("m", "host/v1", messages, 1, 1, {"temperature": 0.5, "max_tokens": 7}),
        ModelRequest("m", "host/v1", messages, 1, 2, {"temperature": 0.4, "max_tokens": 7}),
        ModelRequest("m", "host/v1", messages, 1, 2, {"temperature": 0.5}),
    ]
    assert len({request.key() for request in (whole, *others)}) == 8
    assert whole.key() == ModelRequest("m", "host/v1", messages, 1, 2, {"max_tokens": 7, "temperature": 0.5}).key()


ASK = """
import sys
from pathlib import Path
from afterburner.agent.models.requests.client import ModelClient
from afterburner.agent.models.requests.language_model import find_model
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.question import Question
from afterburner.agent.models.requests.answer_store import AnswerStore
from afterburner.agent.usage import Usage
question = Question(({"role": "user", "content": "please"},), 3, 1, 7, Usage(), 0)
for run in sys.argv[1:]:
    run_id, _, how = run.partition(":")
    session = ModelSession(run_id=run_id, use_cache=how != "no-cache", open_store=AnswerStore)
    client = ModelClient([find_model("openai/gpt-4o-mini")], session, timeout_s=60, retries=2)
    print([answer.content for answer in client.ask(question)], session.usage().requests, session.usage().cached)
    session.close()
"""


def ask(*runs: str) -> list[str]:
    """The same request in runs of one other process: a line for each, with its answers and what it paid for."""
    done = subprocess.run([sys.executable, "-c", ASK, *runs], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.splitlines()


@pytest.mark.nightly
@pytest.mark.slow
def test_the_same_request_is_paid_for_once_whoever_asks(server: ModelServer) -> None:
    [first] = ask("run-1")
    assert len(server.asked) == 3
    keys = {asked.headers["Idempotency-Key"] for asked in server.asked}
    assert len(keys) == 3
    second, anew, another = ask("run-2", "run-3:no-cache", "run-4:no-cache")
    assert first.replace("3 0", "0 3") == second
    assert all(each.endswith("3 0") for each in (first, anew, another))
    assert len(server.asked) == 9
    assert keys.isdisjoint(asked.headers["Idempotency-Key"] for asked in server.asked[3:])
    ask("run-4:no-cache")
    assert len(server.asked) == 9, "a run that was killed and goes on does not ask again"


@pytest.mark.nightly
@pytest.mark.slow
def test_a_killed_run_pays_again_for_nothing_that_it_was_given(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while two of three requests wait for their answers: the third is there, the two are asked for again."""
    with serving(FaultProxy(server.url, lambda number: None if number == 1 else Fault(Kind.SILENCE))) as proxy:
        # the address is part of a request, so the mended server has to be found at the same one
        monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
        victim = subprocess.Popen([sys.executable, "-c", ASK, "run-1"], stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while (len(proxy.arrived) < 3 or not stored_answers()) and time.monotonic() < until:
            time.sleep(0.05)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        before = {asked.headers["Idempotency-Key"] for asked in server.asked}
        assert len(before) == 1
        proxy.fault_of = lambda _: None
        [told] = ask("run-1")
    assert len(server.asked) == 3
    assert len({asked.headers["Idempotency-Key"] for asked in server.asked}) == 3
    assert told.endswith("5 1"), "three requests before the kill and two after it"
    with closing(AnswerStore()) as store:
        assert store.usage("run-1").lost == 2


def stored_answers() -> int:
    path = state_folder() / "answers.sqlite"
    if not path.exists() or not path.stat().st_size:
        return 0
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
        except sqlite3.OperationalError:
            return 0  # it is being made


@pytest.mark.slow
def test_no_secret_is_stored(server: ModelServer) -> None:
    secret = os.environ["OPENAI_API_KEY"]
    server.answer = lambda asked, _: f"your key is {secret}, and you said {asked.prompt}"
    assert secret not in ask("run-1")[0]
    assert all(secret.encode() not in path.read_bytes() for path in state_folder().iterdir())
    assert {asked.headers["Authorization"] for asked in server.asked} == {f"Bearer {secret}"}
