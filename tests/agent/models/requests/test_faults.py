"""Whatever goes wrong between us and a model: an answer, a refused candidate with its reason, or one clear error."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import serving

from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import ProposerError
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.recording import Recording
from afterburner.agent.options import Caps
from afterburner.agent.progress_lines import line_of, spent_of
from afterburner.agent.types import Decision, JudgedCandidate
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from model_server import ModelServer

    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]

MODEL = "openai/gpt-4o-mini"
STATUS_500 = Fault(Kind.STATUS)
UNAVAILABLE = Fault(Kind.STATUS, 503, headers={"Retry-After": "0"})
BUSY = Fault(Kind.STATUS, 429, headers={"Retry-After": "1"})
NO_DATE = Fault(Kind.STATUS, 429, headers={"Retry-After": "Mon, 01 Jan 2024 00:00:00 +99999999999999999999"})


@pytest.fixture
def spoiled(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    @contextmanager
    def behind(plan: Mapping[int, Fault] | Callable[[int], Fault | None]) -> Iterator[FaultProxy]:
        with serving(FaultProxy(server.url, plan)) as proxy:
            monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
            yield proxy

    return behind


@pytest.mark.parametrize(
    "fault", [STATUS_500, UNAVAILABLE, BUSY, NO_DATE, *map(Fault, (Kind.HANG_UP, Kind.LOST, Kind.HALF))]
)
def test_what_passes_is_overcome_and_every_try_is_counted(
    spoiled: Callable[..., object], request_of: MakeRequest, fault: Fault
) -> None:
    told: list[ProgressEvent] = []
    model_session = ModelSession(on_event=told.append)
    with spoiled({1: fault}) as proxy:
        (proposal,) = open_proposer(MODEL, model_session=model_session).propose(request_of())
    assert proposal.error == ""
    assert proposal.rewrite is not None
    assert len(proxy.arrived) == 2
    usage = model_session.usage()
    assert usage is not None
    assert usage.requests == 2
    assert usage.lost == (0 if fault in (BUSY, NO_DATE) else 1), "who is turned away with a 429 has used nothing"
    assert usage.prompt_tokens > 0
    assert (usage.lost_cost_usd > 0) == bool(usage.lost)
    assert [event.kind for event in told] == [EventKind.RETRYING, EventKind.ANSWERED]
    assert "Trying again in" in line_of(told[0])
    assert (told[1].usage.requests, spent_of(told[1]).partition(",")[0]) == (2, "2 requests")


def test_a_server_is_given_the_time_that_it_asks_for(spoiled: Callable[..., object], request_of: MakeRequest) -> None:
    with spoiled({1: Fault(Kind.STATUS, 429, headers={"Retry-After": "3"})}) as proxy:
        (proposal,) = open_proposer(MODEL).propose(request_of())
    assert proposal.rewrite is not None
    first, second = proxy.arrived
    assert second - first >= 3


def test_a_server_that_asks_for_more_time_than_there_is_is_given_up(
    spoiled: Callable[..., object], request_of: MakeRequest
) -> None:
    with (
        spoiled(lambda _: Fault(Kind.STATUS, 429, headers={"Retry-After": "3600"})) as proxy,
        pytest.raises(ProposerError, match="fewer candidates"),
    ):
        open_proposer(MODEL).propose(request_of())
    assert len(proxy.arrived) == 1


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (STATUS_500, "server failed"),
        (Fault(Kind.HANG_UP), "server failed"),
        (Fault(Kind.HALF), "server failed"),
        (Fault(Kind.CUT_JSON), "no usable answer"),
        (Fault(Kind.HTML), "no usable answer"),
        (Fault(Kind.OTHER_JSON), "no usable answer"),
        (Fault(Kind.STATUS, 401), "Check the key"),
        (Fault(Kind.STATUS, 429), "fewer candidates"),
        (Fault(Kind.SILENCE), "did not answer within 2 s"),
        (Fault(Kind.TRICKLE, delay_s=0.1), "did not answer within 2 s"),
        (Fault(Kind.LATE, delay_s=20), "did not answer within 2 s"),
    ],
    ids=lambda value: value.kind.name if isinstance(value, Fault) else "",
)
def test_what_does_not_pass_is_one_clear_error(
    spoiled: Callable[..., object], request_of: MakeRequest, fault: Fault, message: str
) -> None:
    model_session = ModelSession()
    with spoiled(lambda _: fault) as proxy, pytest.raises(ProposerError, match=message) as caught:
        open_proposer(MODEL, model_session=model_session, retries=1, timeout_s=2).propose(request_of())
    assert "\n" not in str(caught.value)
    assert "Traceback" not in str(caught.value)
    usage = model_session.usage()
    assert usage is not None
    assert usage.requests == len(proxy.arrived) <= 2
    refused = fault.kind is Kind.STATUS and fault.status < 500
    assert usage.lost == (0 if refused else usage.requests)


def test_an_answer_without_choices_is_a_refused_candidate(
    spoiled: Callable[..., object], request_of: MakeRequest
) -> None:
    with spoiled({1: Fault(Kind.NO_CHOICES)}) as proxy:
        (proposal,) = open_proposer(MODEL).propose(request_of())
    assert proposal.rewrite is None
    assert "holds no answer" in proposal.error
    assert len(proxy.arrived) == 1


def test_one_failure_among_several_costs_that_candidate_alone(
    spoiled: Callable[..., object], request_of: MakeRequest
) -> None:
    with spoiled({2: Fault(Kind.STATUS, 401)}):
        proposals = open_proposer(MODEL, temperature=0).propose(request_of(count=3))
    assert sorted(proposal.rewrite is None for proposal in proposals) == [False, False, True]
    assert sum("Check the key" in proposal.error for proposal in proposals) == 1


def test_the_next_model_is_asked_where_one_fails_for_good(
    spoiled: Callable[..., object], request_of: MakeRequest, server: ModelServer
) -> None:
    told: list[ProgressEvent] = []
    model_session = ModelSession(on_event=told.append)
    with spoiled(lambda number: Fault(Kind.STATUS, 404) if number <= 2 else None):
        proposer = open_proposer(MODEL, model_session=model_session, fallbacks=("openai/gpt-4.1-mini", "openai/gpt-4o"))
        (first,) = proposer.propose(request_of())
        (second,) = proposer.propose(request_of(iteration=2))
    assert (first.proposer, second.proposer) == ("openai/gpt-4o", "openai/gpt-4o")
    assert [asked.body["model"] for asked in server.asked] == ["gpt-4o", "gpt-4o"]
    handed_on = [event for event in told if event.kind is EventKind.ASKING_ANOTHER]
    assert len(handed_on) == 2, "each change is told once"
    assert "Asking openai/gpt-4o instead" in line_of(handed_on[1])
    assert model_session.budget.usage().requests == 4


def test_a_server_that_takes_no_n_is_asked_one_by_one(
    spoiled: Callable[..., object], request_of: MakeRequest, server: ModelServer
) -> None:
    with spoiled({1: Fault(Kind.STATUS, 400)}):
        proposals = open_proposer(MODEL).propose(request_of(count=3))
    assert [proposal.error for proposal in proposals] == ["", "", ""]
    assert sorted(asked.body["seed"] for asked in server.asked) == [1007, 1008, 1009]


def test_a_server_that_takes_no_such_long_answers_is_asked_for_shorter_ones(
    spoiled: Callable[..., object], request_of: MakeRequest, server: ModelServer
) -> None:
    too_long = Fault(Kind.STATUS, 400, "max_tokens is too large: the model's context length is 8192 tokens")
    model_session = ModelSession(caps=Caps(tokens=1_000_000))
    with spoiled({1: too_long, 2: too_long}):
        (proposal,) = open_proposer(MODEL, model_session=model_session).propose(request_of())
    assert proposal.rewrite is not None
    assert [asked.output_limit for asked in server.asked] == [4096]
    assert model_session.budget.usage().lost == 0


def test_no_request_begins_when_the_time_is_up(server: ModelServer, request_of: MakeRequest) -> None:
    model_session = ModelSession(until=Deadline.after(0))
    assert open_proposer(MODEL, model_session=model_session).propose(request_of()) == []
    assert server.asked == []
    assert "--max-seconds" in model_session.budget.usage().cap


def test_the_time_of_the_run_limits_an_answer(spoiled: Callable[..., object], request_of: MakeRequest) -> None:
    model_session = ModelSession(until=Deadline.after(4))
    with spoiled(lambda _: Fault(Kind.SILENCE)), pytest.raises(ProposerError, match=r"did not answer within [34]"):
        open_proposer(MODEL, model_session=model_session, timeout_s=100).propose(request_of())


def judged(proposals: list[Proposal], iteration: int) -> list[JudgedCandidate]:
    """What the loop remembers of candidates that gained nothing."""
    return [
        JudgedCandidate(f"{iteration}.{n}", iteration, each.proposer, Verdict.ACCEPTED, Decision.NOT_BETTER, "slower")
        for n, each in enumerate(proposals, start=1)
    ]


def test_a_fallback_in_a_chain_gives_a_new_answer_each_round_in_its_members_name(
    spoiled: Callable[..., object], request_of: MakeRequest, server: ModelServer, tmp_path: Path
) -> None:
    recording = tmp_path / "answers.jsonl"
    model_session = ModelSession(recording=Recording(recording))
    history: list[JudgedCandidate] = []
    with spoiled({1: Fault(Kind.STATUS, 404)}):
        chain = open_proposer(f"rules,{MODEL}", model_session=model_session, fallbacks=("openai/gpt-4o",))
        for iteration in (1, 2, 3):
            proposals = chain.propose(replace(request_of(iteration=iteration), history=tuple(history)))
            assert [each.proposer for each in proposals] == [f"{MODEL}: openai/gpt-4o"]
            history += judged(proposals, iteration)
    assert [asked.body["seed"] for asked in server.asked] == [1007, 2007, 3007]
    lines = [json.loads(line) for line in recording.read_text().splitlines()]
    assert [(line["iteration"], line["candidate"], line["model"]) for line in lines] == [
        (iteration, 1, "openai/gpt-4o") for iteration in (1, 2, 3)
    ]


def test_a_fallback_that_gained_nothing_lets_the_next_member_of_the_chain_have_its_turn(
    spoiled: Callable[..., object], request_of: MakeRequest
) -> None:
    with spoiled({1: Fault(Kind.STATUS, 404)}):
        chain = open_proposer(f"{MODEL},openai/gpt-4.1-mini", fallbacks=("openai/gpt-4o",))
        first = chain.propose(request_of())
        second = chain.propose(replace(request_of(iteration=2), history=tuple(judged(first, 1))))
    assert [each.proposer for each in first] == [f"{MODEL}: openai/gpt-4o"]
    assert [each.proposer for each in second] == [f"{MODEL}: openai/gpt-4o", "openai/gpt-4.1-mini"]
