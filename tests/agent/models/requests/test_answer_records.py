"""Of each answer, evaluation and training get the prompt as sent, the text, and what it used; many requests at once."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.models.batching import propose_batch
from afterburner.agent.models.prompts.messages import messages_for
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.answer_store import AnswerStore
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.recording import Recording
from afterburner.agent.options import Caps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from model_server import ModelServer

    from afterburner.agent.models.prompts.proposer import ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]

MODEL = "openai/gpt-4o-mini"


def test_an_answer_comes_with_its_prompt_its_text_and_what_it_used(
    server: ModelServer, request_of: MakeRequest
) -> None:
    request = request_of()
    (proposal,) = open_proposer(MODEL).propose(request)
    record = proposal.answer
    assert record is not None
    assert list(record.messages) == server.asked[0].body["messages"] == messages_for(request)
    assert "return x << 1" in record.text
    assert (record.model, record.finish_reason, record.cached) == (MODEL, "stop", False)
    assert (record.prompt_tokens, record.completion_tokens) == (server.prompt_tokens, server.completion_tokens)
    assert record.cost_usd
    assert pickle.loads(pickle.dumps(proposal)) == proposal  # noqa: S301 - our own


def test_what_one_request_used_is_counted_once(server: ModelServer, request_of: MakeRequest) -> None:
    records = [each.answer for each in open_proposer(MODEL, temperature=1.0).propose(request_of(count=3))]
    assert len(server.asked) == 1
    assert [record.completion_tokens for record in records if record] == [server.completion_tokens, None, None]


def test_a_stored_answer_says_so_and_is_of_the_same_prompt(server: ModelServer, request_of: MakeRequest) -> None:
    session = ModelSession(use_cache=True, open_store=AnswerStore)
    proposer, request = open_proposer(MODEL, model_session=session), request_of()
    (first,), (again,) = proposer.propose(request), proposer.propose(request)
    session.close()
    assert first.answer
    assert again.answer
    assert len(server.asked) == 1
    assert (first.answer.cached, again.answer.cached) == (False, True)
    assert (first.answer.messages, first.answer.text) == (again.answer.messages, again.answer.text)
    assert first.answer.completion_tokens == again.answer.completion_tokens


@pytest.mark.usefixtures("server")
def test_a_replayed_answer_has_the_text_and_the_figures_of_the_recording(
    request_of: MakeRequest, tmp_path: Path
) -> None:
    path = tmp_path / "answers.jsonl"
    (live,) = open_proposer(MODEL, model_session=ModelSession(recording=Recording(path))).propose(request_of())
    (replayed,) = open_proposer(f"replay:{path}").propose(request_of())
    assert live.answer
    assert replayed.answer
    assert replayed.answer.messages == ()
    assert (replayed.answer.text, replayed.answer.cost_usd) == (live.answer.text, live.answer.cost_usd)


def test_many_requests_go_side_by_side_and_come_back_in_order(server: ModelServer, request_of: MakeRequest) -> None:
    server.delay_s = 0.2
    proposer = open_proposer(MODEL)
    found = propose_batch(proposer, [request_of(iteration=number) for number in range(1, 7)])
    assert server.most_at_once > 1
    seeds = [7 + 1000 * number for number in range(1, 7)]
    assert [f"seed {seed}" in each.answer.text for (each,), seed in zip(found, seeds, strict=True) if each.answer] == (
        [True] * 6
    )


def test_a_batch_keeps_the_caps(server: ModelServer, request_of: MakeRequest) -> None:
    proposer = open_proposer(MODEL, model_session=ModelSession(caps=Caps(requests=2)))
    found = propose_batch(proposer, [request_of(iteration=number) for number in range(1, 6)])
    assert len(server.asked) == 2
    assert sorted(map(len, found)) == [0, 0, 0, 1, 1]


def test_rules_answer_a_batch_too(request_of: MakeRequest) -> None:
    rules, request = open_proposer("rules"), request_of()
    assert propose_batch(rules, [request, request]) == [rules.propose(request)] * 2
    assert propose_batch(rules, []) == []
