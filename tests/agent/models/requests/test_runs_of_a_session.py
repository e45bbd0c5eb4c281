"""What the runs of one session share when they ask models, and what is each run's own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.events import ignore_event
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.answer_store import FILE_NAME, AnswerStore
from afterburner.agent.models.requests.model_session import ModelSession, open_model_session
from afterburner.agent.models.requests.reservation import Reservation
from afterburner.agent.options import Caps, ModelOptions
from afterburner.agent.usage import Usage
from afterburner.sandbox import CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from model_server import ModelServer

    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]

MODEL = "openai/gpt-4o-mini"
MOST = Reservation(100, 200, 0.25)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[ModelSession]:
    with open_model_session(Caps(), "session", tmp_path) as opened:
        yield opened


def run_of(
    session: ModelSession,
    run_id: str,
    *,
    caps: Caps | None = None,
    models: ModelOptions | None = None,
    resuming: bool = False,
    used_before: Usage | None = None,
) -> ModelSession:
    return session.for_run(
        run_id,
        models or ModelOptions(),
        caps or Caps(),
        until=Deadline.after(60),
        on_event=ignore_event,
        cancel=CancelToken(),
        resuming=resuming,
        used_before=used_before,
    )


def ask(run: ModelSession, request: ProposalRequest) -> list[Proposal]:
    return open_proposer(MODEL, temperature=0, model_session=run).propose(request)


def use(run: ModelSession, tokens: int) -> None:
    run.budget.settle(run.budget.reserve(MOST), tokens - 1, 1, 0.01)


def test_without_the_cache_each_run_gets_answers_of_its_own(
    session: ModelSession, server: ModelServer, request_of: MakeRequest
) -> None:
    anew, request = ModelOptions(cache=False), request_of()
    for run_id in ("first", "second"):
        ask(run_of(session, run_id, models=anew), request)
    assert len(server.asked) == 2
    ask(run_of(session, "first", models=anew, resuming=True), request)
    assert len(server.asked) == 2, "one that is resumed does not pay again"
    assert len({asked.headers["Idempotency-Key"] for asked in server.asked}) == 2


def test_with_the_cache_a_run_gets_the_answers_of_another(
    session: ModelSession, server: ModelServer, request_of: MakeRequest
) -> None:
    for run_id in ("first", "second"):
        ask(run_of(session, run_id), request_of())
    assert len(server.asked) == 1


def test_what_a_run_uses_is_its_own_and_counts_for_the_session_too(
    session: ModelSession, server: ModelServer, request_of: MakeRequest
) -> None:
    first, second = run_of(session, "first"), run_of(session, "second")
    ask(first, request_of(iteration=1))
    ask(second, request_of(iteration=2, count=2))
    ask(first, request_of(iteration=3))
    usages = [each.usage() for each in (first, second, session)]
    assert [usage.requests for usage in usages if usage is not None] == [2, 2, 4]
    assert sum(usage.prompt_tokens for usage in usages[:2] if usage is not None) == server.prompt_tokens
    assert usages[2] is not None
    assert usages[2].tokens == server.prompt_tokens + server.completion_tokens


def test_the_caps_of_a_run_and_those_of_its_session_both_hold(server: ModelServer, request_of: MakeRequest) -> None:
    with open_model_session(Caps(requests=3), "session", None) as session:
        first, second = run_of(session, "first", caps=Caps(requests=1)), run_of(session, "second")
        came = [len(ask(run, request_of(count=8, iteration=i))) for i, run in enumerate((first, second), 1)]
    assert came == [1, 2]
    assert len(server.asked) == 3
    assert "1 requests (--max-requests)" in first.budget.usage().cap
    assert "3 requests (--max-requests)" in second.budget.usage().cap


def test_a_run_without_a_cap_is_given_answers_that_fit_into_that_of_its_session(
    server: ModelServer, request_of: MakeRequest
) -> None:
    with open_model_session(Caps(tokens=40_000), "session", None) as session:
        run = run_of(session, "run")
        ask(run, request_of(count=8))
    assert all(asked.output_limit for asked in server.asked)
    assert 0 < sum(int(asked.output_limit or 0) for asked in server.asked) < 40_000


def test_a_resumed_run_asks_for_exactly_what_it_has_asked_for(
    session: ModelSession, server: ModelServer, request_of: MakeRequest
) -> None:
    """Others had used a part of the caps when it began, and use more before it is resumed."""
    caps = Caps(tokens=40_000)
    begun = run_of(session, "run", caps=caps, used_before=Usage(prompt_tokens=10_000))
    ask(begun, request_of(count=2))
    asked = len(server.asked)
    use(run_of(session, "other"), 10_000)
    ask(run_of(session, "run", caps=caps, resuming=True, used_before=begun.used_by_others()), request_of(count=2))
    assert len(server.asked) == asked


def test_a_run_that_is_resumed_elsewhere_has_its_ledger_and_its_session_not(tmp_path: Path) -> None:
    """Of a run that was killed while a request was under way, the second of its session."""
    with open_model_session(Caps(), "one", tmp_path) as session:
        use(run_of(session, "first"), 30)
        run_of(session, "second").budget.reserve(MOST)
    with open_model_session(Caps(), "other", tmp_path) as session:
        usage = run_of(session, "second", resuming=True).budget.usage()
        assert (usage.requests, usage.lost, usage.lost_tokens) == (1, 1, 300)
        assert session.usage() == Usage()
    with open_model_session(Caps(), "one", tmp_path) as session:
        assert (session.budget.usage().requests, session.budget.usage().lost) == (2, 1), (
            "all that it has asked for, by whichever run"
        )


def test_a_run_that_is_resumed_in_its_session_counts_once(request_of: MakeRequest, server: ModelServer) -> None:
    with open_model_session(Caps(), "session", None) as session:
        begun = run_of(session, "run")
        ask(begun, request_of())
        stored = begun.budget.usage()
        resumed = run_of(session, "run", resuming=True)
        ask(resumed, request_of(iteration=2, usage=stored))
        assert resumed.budget.usage() == session.budget.usage()
    assert len(server.asked) == resumed.budget.usage().requests == 2


def test_a_file_of_an_earlier_version_is_read_and_added_to(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.executescript(
            "CREATE TABLE ledger (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, sent_at REAL NOT NULL, "
            "state TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost_usd REAL);"
            "INSERT INTO ledger VALUES (1, 'old', 4e9, 'answered', 10, 20, 0.5);"
        )
    for _ in range(2):
        with closing(AnswerStore(tmp_path / FILE_NAME)) as store:
            store.sent("new", MOST, "old")
    with closing(AnswerStore(tmp_path / FILE_NAME)) as store:
        assert (store.usage("old").requests, store.usage("old").tokens, store.usage("new").requests) == (3, 30, 2)


def test_each_run_records_where_it_was_told_to_and_empties_only_what_is_not_its_own(
    session: ModelSession, server: ModelServer, request_of: MakeRequest, tmp_path: Path
) -> None:
    fresh, resumed = tmp_path / "fresh.jsonl", tmp_path / "resumed.jsonl"
    for path in (fresh, resumed):
        path.write_text('{"content": "old"}\n')
    ask(run_of(session, "one", models=ModelOptions(record=str(resumed)), resuming=True), request_of(iteration=1))
    ask(run_of(session, "two", models=ModelOptions(record=str(fresh))), request_of(iteration=2))
    ask(run_of(session, "three", models=ModelOptions(record=str(fresh))), request_of(iteration=3))
    lines = {path: [json.loads(line) for line in path.read_text().splitlines()] for path in (fresh, resumed)}
    assert [line.get("iteration") for line in lines[resumed]] == [None, 1]
    assert [line.get("iteration") for line in lines[fresh]] == [2, 3]
    assert len(server.asked) == 3


def test_the_answers_of_a_session_are_where_its_runs_are(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    with open_model_session(Caps(), "session", tmp_path / "store") as session:
        ask(run_of(session, "run"), request_of())
    assert (tmp_path / "store" / FILE_NAME).exists()
    with open_model_session(Caps(), "session", None) as session:
        ask(run_of(session, "run"), request_of())
    assert len(server.asked) == 2, "without a store there is none of answers"
    assert not state.exists()
