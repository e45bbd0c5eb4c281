"""What `--record` writes, `replay:` gives again: the same candidates in the same iterations and order."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import serving

from afterburner.agent.errors import ProposerError
from afterburner.agent.proposers.asking.answers import ModelAnswer
from afterburner.agent.proposers.asking.recording import Recording
from afterburner.agent.proposers.asking.session import Asking
from afterburner.agent.proposers.registry import open_proposer
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from model_server import Asked, ModelServer

    from afterburner.agent.proposers.base import Proposal, ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]

MODEL = "openai/gpt-4o-mini"


def facts(proposals: list[Proposal]) -> list[tuple[object, str, str]]:
    return [(proposal.rewrite, proposal.reasoning, proposal.error) for proposal in proposals]


@pytest.mark.parametrize("temperature", [None, 0.0], ids=["together", "side by side"])
def test_a_replay_gives_what_was_recorded_failures_included(
    server: ModelServer,
    request_of: MakeRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    temperature: float | None,
) -> None:
    good = server.answer

    def answer(asked: Asked, number: int) -> str:
        return "no format" if number == 2 else good(asked, number)

    server.answer, server.gives_several, path = answer, False, tmp_path / "answers.jsonl"
    with serving(FaultProxy(server.url, {3: Fault(Kind.STATUS, 401)})) as proxy:
        monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
        asking = Asking(recording=Recording(path))
        proposer = open_proposer(MODEL, temperature=temperature, asking=asking)
        asked_for = [request_of(count=3, iteration=iteration) for iteration in (1, 2)]
        recorded = [facts(proposer.propose(request)) for request in asked_for]
    replayed = [facts(open_proposer(f"replay:{path}").propose(request)) for request in asked_for]
    assert replayed == recorded
    assert [len(proposals) for proposals in recorded] == [3, 3]
    assert any("Check the key" in error for _, _, error in recorded[0])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert sorted((line["iteration"], line["candidate"]) for line in lines) == [
        (iteration, candidate) for iteration in (1, 2) for candidate in (1, 2, 3)
    ]
    answered = [line for line in lines if "error" not in line]
    assert all(line["usage"]["prompt_tokens"] > 0 and line["model"] == MODEL for line in answered)


def test_an_answer_that_was_cut_off_is_cut_off_in_the_replay(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"content": "<thinking>", "finish_reason": "length", "iteration": 2, "candidate": 1}))
    proposer = open_proposer(f"replay:{path}")
    assert proposer.propose(request_of()) == []
    (proposal,) = proposer.propose(request_of(iteration=2))
    assert "cut off" in proposal.error
    assert server.asked == []


def test_a_new_run_replaces_a_recording_with_its_first_answer_and_a_resumed_one_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"content": "old"}\n')
    fresh = Recording(path)
    assert path.read_text() == '{"content": "old"}\n', "a run that gets no answer costs no recording"
    for candidate in (1, 2):
        fresh.append(1, candidate, ModelAnswer("new", "m"), None)
    Recording(path, resumed=True).append(2, 1, ModelAnswer("more", "m"), None)
    assert [json.loads(line)["content"] for line in path.read_text().splitlines()] == ["new", "new", "more"]
    with pytest.raises(AfterburnerError, match="cannot be written"):
        Recording(tmp_path).append(1, 1, ModelAnswer("", "m"), None)


def test_a_recording_with_and_without_places_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"content": "a"}\n{"content": "b", "iteration": 1, "candidate": 1}\n')
    with pytest.raises(ProposerError, match="all or none"):
        open_proposer(f"replay:{path}")
    path.write_text('{"content": "a", "iteration": "1"}\n')
    with pytest.raises(ProposerError, match="line 1: iteration and candidate"):
        open_proposer(f"replay:{path}")


def test_no_secret_is_sent_recorded_or_told(
    server: ModelServer, request_of: MakeRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret, told = os.environ["OPENAI_API_KEY"], list[str]()
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:pass-word-1234@localhost/db")
    server.answer = lambda asked, _: f"{secret} pass-word-1234 {asked.prompt}"
    asking = Asking(recording=Recording(tmp_path / "r.jsonl"), on_message=lambda message, _: told.append(message))
    source = f'def f(x):\n    """{secret} pass-word-1234"""\n    return x + x\n'
    (proposal,) = open_proposer(MODEL, asking=asking).propose(request_of(source=source))
    asking.tell(f"it said {secret}")
    everything = server.asked[0].prompt + (tmp_path / "r.jsonl").read_text() + "".join(told) + str(proposal)
    assert secret not in everything
    assert "pass-word-1234" not in everything
    assert "it said …" in told
