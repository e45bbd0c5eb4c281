"""A session's jobs ask a model: whatever each is resumed in, its caps, its recording and its account are its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, StoredRequest, serving

from afterburner.agent import Caps, Job, Problem, Search, open_session
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.models.requests.answer_store import FILE_NAME
from afterburner.agent.options import ModelOptions
from afterburner.sandbox import CancelledError, CancelToken, TestCase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from afterburner.agent.session.session import Session
    from afterburner.sandbox import Sandbox

MODEL = "openai/gpt-4o-mini"


def answer(asked: StoredRequest, number: int) -> str:
    code = f"print(sum(map(int, input().split())))  # {number}, seed {asked.body.get('seed')}"
    return f"<thinking>Sum.</thinking><solution>```python\n{code}\n```</solution>"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789-secret")
    with serving(ModelServer(answer)) as running:
        monkeypatch.setenv("OPENAI_API_BASE", running.url)
        yield running


def job_on(name: str) -> Job:
    """Its name is in the prompt, so that no job is given the answers of another."""
    problem = Problem(name, f"Add the two numbers on stdin: {name}.", (TestCase(b"1 2", b"3"),), start="print(3)\n")
    return Job.from_problem(problem)


def search_of(iterations: int) -> Search:
    return Search(iterations=iterations, candidates=1, selection="paper", max_seconds=120.0)


def begun_and_cancelled(session: Session, job: Job, search: Search) -> str:
    """The id of a run that was cancelled when its first answer was there."""
    token, begun = CancelToken(), list[str]()

    def cancel(event: ProgressEvent) -> None:
        if event.kind is EventKind.MEASURING_CANDIDATE:
            token.cancel()

    with suppress(CancelledError):
        session.optimize(job, search, on_event=cancel, cancel=token, on_begun=begun.append)
    return begun[0]


def test_a_run_is_resumed_under_its_own_caps_recording_and_cache_by_any_session(
    sandbox: Sandbox, server: ModelServer, tmp_path: Path
) -> None:
    record, store = tmp_path / "answers.jsonl", tmp_path / "store"
    models = ModelOptions(model=MODEL, cache=False, record=str(record))
    with open_session(sandbox=sandbox, models=models, caps=Caps(requests=4), store=store) as session:
        first = session.optimize(job_on("first"), search_of(1))
        run_id = begun_and_cancelled(session, job_on("second"), search_of(9))
    assert len(server.asked) == 2
    with open_session(sandbox=sandbox, store=store) as session:
        result = session.resume(run_id)
    assert result.usage is not None
    assert "4 requests (--max-requests)" in result.ended_early
    assert result.usage.requests == 4
    assert first.usage is not None
    assert (first.usage.requests, len(server.asked)) == (1, 5), (
        "the run's cap is for itself, and no request is repeated"
    )
    assert len(record.read_text().splitlines()) == 5
    assert (store / FILE_NAME).exists()
    assert not (tmp_path / "state" / "afterburner-agent" / FILE_NAME).exists()


def test_a_resumed_run_keeps_within_the_caps_of_the_session_too(
    sandbox: Sandbox, server: ModelServer, tmp_path: Path
) -> None:
    with open_session(sandbox=sandbox, model=MODEL, store=tmp_path) as session:
        run_id = begun_and_cancelled(session, job_on("first"), search_of(9))
    with open_session(sandbox=sandbox, caps=Caps(requests=2), store=tmp_path) as session:
        result = session.resume(run_id)
    assert "2 requests (--max-requests)" in result.ended_early
    assert len(server.asked) == 3


def test_two_jobs_at_once_are_each_told_what_they_have_used_themselves(
    sandbox: Sandbox, server: ModelServer, tmp_path: Path
) -> None:
    told: dict[str, set[int]] = {}

    def on_event(event: ProgressEvent) -> None:
        told.setdefault(event.job, set()).add(event.usage.requests)

    with open_session(sandbox=sandbox, model=MODEL, store=tmp_path) as session, ThreadPoolExecutor(2) as pool:
        jobs = [(job_on("one"), 1), (job_on("three"), 3)]
        running = [pool.submit(session.optimize, job, search_of(count), on_event=on_event) for job, count in jobs]
        results = [each.result(timeout=300) for each in running]
    usages = [result.usage for result in results if result.usage is not None]
    assert [usage.requests for usage in usages] == [1, 3]
    assert sum(usage.tokens for usage in usages) == server.prompt_tokens + server.completion_tokens
    assert sorted(max(each) for each in told.values()) == [1, 3]
