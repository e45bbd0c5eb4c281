"""A sceptic's request is one like any other: under the caps, stored, recorded, replayed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import with_source
from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.sceptic_prompt import DoubtRequest, Sceptic, sceptic_of
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
def doubt_of(make_target: Callable[..., Target]) -> DoubtRequest:
    target = make_target("def f(x):\n    return x + x\n", "f")
    return DoubtRequest(target, with_source(target, "def f(x):\n    return x << 1\n"), "2.1", 2, seed=7)


@pytest.fixture
def doubting(server: ModelServer) -> ModelServer:
    """Answers every sceptic with other calls."""
    good = server.answer

    def answer(asked: StoredRequest, number: int) -> str:
        return f"```python\nf({number})\n```" if "## Version B" in asked.prompt else good(asked, number)

    server.answer = answer
    return server


def sceptic(model: str, model_session: ModelSession) -> Sceptic:
    found = sceptic_of(open_proposer(model, model_session=model_session))
    assert found is not None
    return found


def test_a_run_that_is_resumed_pays_for_it_once(doubting: ModelServer, doubt_of: DoubtRequest, tmp_path: Path) -> None:
    for _ in range(2):
        session = ModelSession(run_id="run", open_store=lambda: AnswerStore(tmp_path / "answers.sqlite"))
        assert sceptic(MODEL, session).doubt(doubt_of) == "```python\nf(1)\n```"
        assert session.budget.usage().requests == 1
        session.close()
    assert len(doubting.asked) == 1


def test_a_recording_tells_it_from_rewrites(
    doubting: ModelServer, doubt_of: DoubtRequest, request_of: MakeRequest, tmp_path: Path
) -> None:
    path = tmp_path / "answers.jsonl"
    session = ModelSession(recording=Recording(path))
    proposer = open_proposer(MODEL, model_session=session)
    [rewrite] = proposer.propose(request_of(iteration=2))
    said = sceptic(MODEL, session).doubt(doubt_of)
    assert [json.loads(line).get("doubted") for line in path.read_text().splitlines()] == [None, "2.1"]
    replay = open_proposer(f"replay:{path}")
    assert [each.rewrite for each in replay.propose(request_of(iteration=1))] == [rewrite.rewrite]
    found = sceptic_of(replay)
    assert found is not None
    assert found.doubt(doubt_of) == said
    assert len(doubting.asked) == 2


def test_a_cap_allows_none_and_says_so(doubting: ModelServer, doubt_of: DoubtRequest, request_of: MakeRequest) -> None:
    session = ModelSession(caps=Caps(requests=1))
    open_proposer(MODEL, model_session=session).propose(request_of())
    with pytest.raises(ProposerError, match="1 requests \\(--max-requests\\)"):
        sceptic(MODEL, session).doubt(doubt_of)
    assert len(doubting.asked) == 1


def test_it_may_be_asked_when_the_time_for_the_search_is_up(doubting: ModelServer, doubt_of: DoubtRequest) -> None:
    session = ModelSession(until=Deadline.after(0))
    asked = sceptic(MODEL, session)
    with pytest.raises(ProposerError, match="--max-seconds"):
        asked.doubt(doubt_of)
    session.prolong(Deadline.after(60))
    assert asked.doubt(doubt_of)
    assert len(doubting.asked) == 1


def test_a_model_that_cannot_be_reached_gives_none(doubt_of: DoubtRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    with pytest.raises(ProposerError, match="openai/gpt-4o-mini"):
        sceptic(MODEL, ModelSession()).doubt(doubt_of)
