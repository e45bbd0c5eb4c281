"""The request for calls of a function that nothing calls is one like any other: capped, stored, recorded, replayed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.calls_prompt import CallAuthor, CallsRequest, WrittenAnswer, call_author_of
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.answer_store import AnswerStore
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.recording import Recording
from afterburner.agent.options import Caps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from model_server import ModelServer, StoredRequest

    from afterburner.agent.models.prompts.proposer import ProposalRequest
    from afterburner.agent.types import Target

    MakeRequest = Callable[..., ProposalRequest]

MODEL = "openai/gpt-4o-mini"


@pytest.fixture
def calls_of(make_target: Callable[..., Target]) -> CallsRequest:
    return CallsRequest(make_target("def f(x):\n    return x + x\n", "f"), seed=7)


@pytest.fixture
def writing(server: ModelServer) -> ModelServer:
    """Answers with other calls each time."""
    good = server.answer

    def answer(asked: StoredRequest, number: int) -> str:
        is_wanted = "Nothing in the project calls `f`" in asked.prompt
        return f"```python\nf({number})\n```" if is_wanted else good(asked, number)

    server.answer = answer
    return server


def author(model: str, model_session: ModelSession) -> CallAuthor:
    found = call_author_of(open_proposer(model, model_session=model_session))
    assert found is not None
    return found


def test_a_run_that_is_resumed_pays_for_it_once(writing: ModelServer, calls_of: CallsRequest, tmp_path: Path) -> None:
    for _ in range(2):
        session = ModelSession(run_id="run", open_store=lambda: AnswerStore(tmp_path / "answers.sqlite"))
        assert author(MODEL, session).write_calls(calls_of) == WrittenAnswer(MODEL, "```python\nf(1)\n```")
        assert session.budget.usage().requests == 1
        session.close()
    assert len(writing.asked) == 1


def test_a_recording_tells_it_from_rewrites(
    writing: ModelServer, calls_of: CallsRequest, request_of: MakeRequest, tmp_path: Path
) -> None:
    path = tmp_path / "answers.jsonl"
    session = ModelSession(recording=Recording(path))
    proposer = open_proposer(MODEL, model_session=session)
    said = author(MODEL, session).write_calls(calls_of)
    [rewrite] = proposer.propose(request_of())
    assert [json.loads(line).get("workload") for line in path.read_text().splitlines()] == [True, None]
    replay = open_proposer(f"replay:{path}")
    assert [each.rewrite for each in replay.propose(request_of())] == [rewrite.rewrite]
    found = call_author_of(replay)
    assert found is not None
    assert found.write_calls(calls_of) == WrittenAnswer("replay:answers.jsonl", said.text)
    assert len(writing.asked) == 2


def test_the_model_that_answered_is_named(
    writing: ModelServer, calls_of: CallsRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", "http://127.0.0.1:9/v1")
    found = call_author_of(open_proposer("hosted_vllm/m", fallbacks=[MODEL], retries=0, model_session=ModelSession()))
    assert found is not None
    assert found.write_calls(calls_of).model == MODEL
    assert writing.asked


def test_a_cap_allows_none_and_says_so(writing: ModelServer, calls_of: CallsRequest, request_of: MakeRequest) -> None:
    session = ModelSession(caps=Caps(requests=1))
    open_proposer(MODEL, model_session=session).propose(request_of())
    with pytest.raises(ProposerError, match="1 requests \\(--max-requests\\)"):
        author(MODEL, session).write_calls(calls_of)
    assert len(writing.asked) == 1


def test_rules_and_older_recordings_write_none_and_a_chain_asks_its_first_model(
    server: ModelServer, tmp_path: Path
) -> None:
    assert server.url
    (tmp_path / "older.jsonl").write_text(json.dumps({"content": "def f(x):\n    return 2 * x\n"}))
    assert call_author_of(open_proposer("rules")) is None
    assert call_author_of(open_proposer(f"replay:{tmp_path / 'older.jsonl'}")) is None
    found = call_author_of(open_proposer(f"rules,{MODEL}", model_session=ModelSession()))
    assert found is not None
    assert found.name == MODEL
