"""Caps hold at the server, however many candidates are asked for at once; and what was used is told as it is."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import ModelServer, StoredRequest, serving

from afterburner.agent.deadline import Deadline
from afterburner.agent.errors import ProposerError
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.answer_store import AnswerStore
from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.reservation import Reservation
from afterburner.agent.models.requests.spending import (
    LEAST_OUTPUT_TOKENS,
    LEAST_SECONDS,
    MOST_OUTPUT_TOKENS,
    Budget,
)
from afterburner.agent.options import Caps
from afterburner.agent.usage import Usage, dollars, told
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]

KEY = "sk-test-0123456789-secret"
MODEL = "openai/gpt-4o-mini"
INPUT_USD, OUTPUT_USD = 1.5e-07, 6e-07  # in LiteLLM's map
SOURCE = "def f(x):\n"
GOOD = "<thinking>Shift.</thinking><solution>```python\ndef f(x):\n    return x << 1\n```</solution>"
UNPRICED = "hosted_vllm/some-model"


def long_answer(_asked: StoredRequest, _number: int) -> str:
    """As long as the server lets it be: an answer that costs what was reserved for it."""
    return "x" * 400_000


def ask_through(
    model_session: ModelSession, make: MakeRequest, model: str = MODEL, iterations: int = 4
) -> list[Proposal]:
    """Eight candidates in each iteration, as a run asks for them: what was used goes with the state."""
    proposer = open_proposer(model, temperature=0, model_session=model_session, retries=1)
    proposals: list[Proposal] = []
    for iteration in range(1, iterations + 1):
        proposals += proposer.propose(make(count=8, iteration=iteration, usage=model_session.usage()))
        if model_session.budget.usage().cap:
            break
    return proposals


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("answer", [long_answer, lambda *_: "short"], ids=["long", "short"])
def test_a_cap_of_money_holds_with_eight_candidates_at_once(
    server: ModelServer, request_of: MakeRequest, answer: Callable[[StoredRequest, int], str]
) -> None:
    server.answer, server.delay_s, cap_usd = answer, 0.2, 0.02
    model_session = ModelSession(caps=Caps(cost_usd=cap_usd))
    ask_through(model_session, request_of)
    spent_usd = server.prompt_tokens * INPUT_USD + server.completion_tokens * OUTPUT_USD
    usage = model_session.budget.usage()
    assert 0 < spent_usd <= cap_usd
    assert usage.cost_usd == pytest.approx(spent_usd), "the account is the server's"
    assert usage.known_cost_usd == usage.cost_usd
    assert server.most_at_once > 1
    if answer is long_answer:
        assert spent_usd > cap_usd / 2, "the cap is used, too"
        assert "--max-cost" in usage.cap
    else:
        assert len(server.asked) == 32


@pytest.mark.nightly
def test_a_cap_of_tokens_holds_with_eight_candidates_at_once(server: ModelServer, request_of: MakeRequest) -> None:
    server.answer, server.delay_s = long_answer, 0.2
    model_session = ModelSession(caps=Caps(tokens=40_000))
    ask_through(model_session, request_of, model=UNPRICED)
    used = server.prompt_tokens + server.completion_tokens
    usage = model_session.budget.usage()
    assert 20_000 < used <= 40_000
    assert usage.tokens == used
    assert "--max-tokens" in usage.cap
    assert usage.known_cost_usd is None
    assert "cost unknown" in told(usage)
    assert "$" not in told(usage)


@pytest.mark.slow
@pytest.mark.parametrize("caps", [Caps(cost_usd=0.5), Caps(tokens=40_000)], ids=["money", "tokens"])
def test_a_cap_holds_for_a_model_of_which_litellm_knows_no_limit_of_length(
    server: ModelServer, request_of: MakeRequest, monkeypatch: pytest.MonkeyPatch, caps: Caps
) -> None:
    """LiteLLM knows the price of `v0/v0-1.5-lg`, not that it takes `max_tokens`."""
    monkeypatch.setenv("V0_API_BASE", server.url)
    monkeypatch.setenv("V0_API_KEY", KEY)
    server.answer = long_answer
    model_session = ModelSession(caps=caps)
    ask_through(model_session, request_of, model="v0/v0-1.5-lg", iterations=1)
    spent_usd = server.prompt_tokens * 15e-6 + server.completion_tokens * 75e-6
    assert all(asked.output_limit for asked in server.asked)
    assert 0 < spent_usd <= (caps.cost_usd or spent_usd)
    assert server.prompt_tokens + server.completion_tokens <= (caps.tokens or 1_000_000)


@pytest.mark.parametrize("cap", [1, 5, 11])
def test_a_cap_of_requests_holds_with_eight_candidates_at_once(
    server: ModelServer, request_of: MakeRequest, cap: int
) -> None:
    model_session = ModelSession(caps=Caps(requests=cap))
    proposals = ask_through(model_session, request_of)
    assert len(server.asked) == cap == model_session.budget.usage().requests
    assert [proposal.error for proposal in proposals] == [""] * cap, "what came before the cap is used"
    assert f"{cap} requests (--max-requests)" in model_session.budget.usage().cap


def test_tries_count_against_the_cap_of_requests(
    server: ModelServer, request_of: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(FaultProxy(server.url, lambda _: Fault(Kind.STATUS, 503))) as proxy:
        monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
        model_session = ModelSession(caps=Caps(requests=3))
        with pytest.raises(ProposerError, match=r"server failed.*--max-requests"):
            ask_through(model_session, request_of)
    assert len(proxy.arrived) == 3


def test_answers_that_were_made_and_lost_count_as_much_as_they_can_have_cost(
    server: ModelServer, request_of: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer, cap_usd = long_answer, 0.01
    with serving(FaultProxy(server.url, lambda number: Fault(Kind.LOST) if number % 2 else None)) as proxy:
        monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
        model_session = ModelSession(caps=Caps(cost_usd=cap_usd))
        ask_through(model_session, request_of)
    spent_usd = server.prompt_tokens * INPUT_USD + server.completion_tokens * OUTPUT_USD
    usage = model_session.budget.usage()
    assert spent_usd <= usage.most_cost_usd <= cap_usd
    assert usage.lost == (len(proxy.arrived) + 1) // 2
    assert "without an answer, up to" in told(usage)


@pytest.mark.parametrize(
    "said",
    [
        None,
        {"prompt_tokens": 50, "completion_tokens": -90_000, "total_tokens": 0},
        {"prompt_tokens": -50, "completion_tokens": 90, "total_tokens": 40},
        {"prompt_tokens": 50, "completion_tokens": 0, "total_tokens": 50},
        {"prompt_tokens": 50, "completion_tokens": 10**30, "total_tokens": 50},
    ],
    ids=["nothing", "less than nothing", "a prompt of less", "no answer", "more than there is"],
)
def test_an_answer_that_does_not_say_what_it_used_counts_as_much_as_it_can_have(
    request_of: MakeRequest, monkeypatch: pytest.MonkeyPatch, said: dict[str, int] | None
) -> None:
    class Silent(ModelServer):
        def reply(self, asked: StoredRequest) -> dict[str, Any]:
            response = super().reply(asked)
            del response["usage"]
            return response | ({"usage": said} if said is not None else {})

    with serving(Silent(lambda *_: GOOD)) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        model_session = ModelSession(caps=Caps(cost_usd=0.02), open_store=AnswerStore, run_id="r")
        (proposal,) = open_proposer(MODEL, model_session=model_session).propose(request_of())
        limit = server.asked[0].output_limit
    usage = model_session.budget.usage()
    model_session.close()
    assert proposal.rewrite is not None
    assert limit is not None
    assert (usage.requests, usage.unsaid, usage.lost, usage.tokens, usage.cost_usd) == (1, 1, 0, 0, 0.0)
    assert usage.unsaid_tokens >= limit
    assert limit * OUTPUT_USD <= usage.most_cost_usd <= 0.02
    assert "1 answer did not say what was used, up to" in told(usage)
    assert "without an answer" not in told(usage)
    resumed = ModelSession(open_store=AnswerStore, run_id="r")
    assert resumed.budget.usage() == usage, "also after a kill"
    resumed.close()


def test_a_cap_that_is_too_small_for_one_request_asks_nothing(server: ModelServer, request_of: MakeRequest) -> None:
    model_session = ModelSession(caps=Caps(tokens=LEAST_OUTPUT_TOKENS))
    assert ask_through(model_session, request_of) == []
    assert server.asked == []
    assert "2,000 tokens (--max-tokens) 2,000 are left, too few" in model_session.budget.usage().cap


@pytest.mark.parametrize("temperature", [None, 0.0], ids=["together", "side by side"])
def test_fewer_answers_are_asked_for_before_shorter_ones(
    server: ModelServer, request_of: MakeRequest, temperature: float | None
) -> None:
    """There is money for four short answers; for two that may be whole, with an original of that length."""
    server.answer, cap_usd = long_answer, 0.01
    model_session = ModelSession(caps=Caps(cost_usd=cap_usd))
    source = SOURCE + f"    # {'x' * 9_000}\n    return x + x\n"
    open_proposer(MODEL, temperature=temperature, model_session=model_session).propose(
        request_of(count=4, source=source)
    )
    limits = [asked.output_limit for asked in server.asked]
    assert sum(asked.body.get("n", 1) for asked in server.asked) == 2
    assert all(limit is not None and limit >= LEAST_OUTPUT_TOKENS + 3_000 for limit in limits)
    assert model_session.budget.usage().most_cost_usd <= cap_usd
    assert "--max-cost" in model_session.budget.usage().cap


@pytest.mark.timeout(60)
def test_who_waits_for_other_requests_begins_none_when_the_time_is_up() -> None:
    budget = Budget(Caps(tokens=1_000), until=Deadline.after(LEAST_SECONDS + 0.5))
    with (
        budget.reserved(Reservation(400, 400, None)),
        pytest.raises(CapReachedError, match="--max-seconds"),
        budget.reserved(Reservation(400, 400, None)),
    ):
        pytest.fail("a request began")
    assert (budget.usage().requests, budget.usage().lost) == (1, 1)


@pytest.mark.timeout(60)
def test_how_long_a_request_may_take_is_reckoned_when_it_has_waited_for_others() -> None:
    until, held_back, released_with = Deadline.after(60), threading.Event(), list[float]()
    budget = Budget(Caps(tokens=1_000), until=until)

    def hold_back() -> None:
        with budget.reserved(Reservation(400, 400, None)) as (reservation, _):
            held_back.set()
            threading.Event().wait(0.2)
            released_with.append(until.left_s())
            budget.refuse(reservation)

    other = threading.Thread(target=hold_back)
    other.start()
    held_back.wait()
    with budget.reserved(Reservation(400, 400, None), 100.0) as (_, left_s):
        assert left_s <= released_with[0]
    other.join()


@pytest.mark.timeout(60)
def test_a_request_that_was_not_begun_as_the_ledger_took_too_long_does_not_count() -> None:
    with closing(AnswerStore()) as store, closing(sqlite3.connect(store.path, check_same_thread=False)) as other:
        until = Deadline.after(LEAST_SECONDS + 0.5)
        budget = Budget(until=until, ledger=store, run_id="r")
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(until.left_s(), other.rollback).start()
        with pytest.raises(CapReachedError, match="--max-seconds"), budget.reserved(Reservation(1, 1, None)):
            pytest.fail("a request began")
        assert budget.usage().requests == store.usage("r").requests == 0


@pytest.mark.timeout(60)
def test_on_a_full_disk_nobody_waits_for_a_request_whose_answer_could_not_be_stored(
    server: ModelServer, request_of: MakeRequest
) -> None:
    server.answer = long_answer
    model_session = ModelSession(caps=Caps(tokens=40_000), open_store=AnswerStore, run_id="r")
    assert model_session.store is not None
    [pages] = model_session.store._connection.execute("PRAGMA page_count").fetchone()
    model_session.store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(AfterburnerError, match="full"):
        open_proposer(MODEL, temperature=0, model_session=model_session).propose(request_of(count=2))
    usage = model_session.budget.usage()
    assert (usage.requests, usage.lost) == (2, 2)
    with pytest.raises(CapReachedError, match="--max-tokens"):
        model_session.budget.reserve(Reservation(20_000, 20_000, None))
    model_session.close()


def test_a_request_that_cannot_be_settled_is_lost_and_nothing_of_it_stays_kept_back() -> None:
    with closing(AnswerStore()) as store:
        budget = Budget(Caps(tokens=1_000), ledger=store, run_id="r")

        def settle_where_nothing_can_be_written() -> None:
            with budget.reserved(Reservation(100, 100, None)) as (reservation, _):
                store._connection.execute("PRAGMA query_only = ON")
                budget.settle(reservation, 10, 10, None)

        with pytest.raises(AfterburnerError, match="readonly"):
            settle_where_nothing_can_be_written()
        store._connection.execute("PRAGMA query_only = OFF")
        assert budget.usage() == store.usage("r")
        assert budget.usage().lost_tokens == 200
        with budget.reserved(Reservation(400, 400, None)) as (reservation, _):
            budget.settle(reservation, 300, 300, None)
        assert budget.usage().tokens == 600


def test_an_answer_may_be_as_short_as_the_models_longest() -> None:
    budget = Budget(Caps(tokens=10_000))
    assert budget.share(Usage(), 2, 1_000, None, 512, 2_000) == (2, 512)


def test_where_answers_have_to_be_whole_a_cap_shortens_none() -> None:
    """Fewer are asked for, and then none."""
    budget = Budget(Caps(tokens=10_000), only_whole=True)
    assert budget.share(Usage(), 2, 1_000, None, 4_000, 2_000) == (2, 4_000)
    assert budget.share(Usage(), 2, 1_000, None, 6_000, 2_000) == (1, 6_000)
    with pytest.raises(CapReachedError, match="too few for a request, which may need 10,500"):
        budget.share(Usage(), 2, 1_000, None, 9_500, 2_000)
    large = Budget(Caps(tokens=100_000), only_whole=True)
    assert large.share(Usage(), 1, 1_000, None, 64_000, 2_000) == (1, 64_000)
    assert large.share(Usage(), 1, 1_000, None, None, 2_000) == (1, MOST_OUTPUT_TOKENS)


def test_without_a_cap_the_length_of_answers_is_the_models_own(server: ModelServer, request_of: MakeRequest) -> None:
    open_proposer(MODEL, model_session=ModelSession()).propose(request_of())
    assert server.asked[0].output_limit is None


@pytest.mark.parametrize("model", [UNPRICED, "ollama/qwen2.5-coder:7b"])
def test_a_cap_of_money_on_a_model_without_a_price_is_refused_before_any_work(server: ModelServer, model: str) -> None:
    with pytest.raises(ProposerError, match=rf"price of {model} is not known.*--max-tokens"):
        open_proposer(MODEL, fallbacks=(model,), model_session=ModelSession(caps=Caps(cost_usd=1.0)))
    assert server.asked == []


def test_a_resumed_run_goes_on_counting_from_what_was_stored(server: ModelServer, request_of: MakeRequest) -> None:
    model_session = ModelSession(caps=Caps(requests=5))
    stored = Usage(requests=3, prompt_tokens=10, completion_tokens=20, cost_usd=0.5)
    proposer = open_proposer(MODEL, temperature=0, model_session=model_session)
    assert len(proposer.propose(request_of(count=8, iteration=2, usage=stored))) == 2
    assert len(server.asked) == 2
    assert model_session.budget.usage().requests == 5
    assert model_session.budget.usage().cost_usd > 0.5


def test_candidates_are_asked_side_by_side_each_with_its_seed_and_come_in_order(
    server: ModelServer, request_of: MakeRequest
) -> None:
    server.delay_s = 0.5
    proposals = open_proposer(MODEL, temperature=0).propose(request_of(count=8))
    assert server.most_at_once > 1
    assert sorted(asked.body["seed"] for asked in server.asked) == list(range(1007, 1015))
    seeds = [int(str(proposal.rewrite).rpartition("seed ")[2][:4]) for proposal in proposals]
    assert seeds == list(range(1007, 1015)), "in the order of the candidates, whoever was first"


def test_one_request_brings_several_where_that_is_possible(server: ModelServer, request_of: MakeRequest) -> None:
    assert len(open_proposer(MODEL).propose(request_of(count=4))) == 4
    assert [asked.body.get("n") for asked in server.asked] == [4]
    server.gives_several = False
    assert len(open_proposer(MODEL).propose(request_of(count=4))) == 4
    assert [asked.body.get("n") for asked in server.asked[1:]] == [4, None, None, None]


def test_amounts_are_written_for_people() -> None:
    amounts = (0.0, 0.000091, 0.00123, 0.0995, 0.5, 1.25, 1234.5)
    written = ["$0.00", "$0.000091", "$0.0012", "$0.100", "$0.50", "$1.25", "$1234.50"]
    assert [dollars(amount) for amount in amounts] == written
    line = told(Usage(requests=3, cached=1, prompt_tokens=4000, completion_tokens=210, cost_usd=0.0031, lost=1))
    assert line.startswith("3 requests, 4,210 tokens, $0.0031, 1 answer from the cache; 1 request without an answer")
    assert told(Usage(requests=1, unpriced=1, cost_usd=0.5)) == "1 request, 0 tokens, cost unknown (at least $0.50)"
