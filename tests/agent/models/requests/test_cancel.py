"""A run that is cancelled while a model is asked ends at once, and leaves no connection and no thread."""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import serving

from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests import patience
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.agent.models.requests.parallel import at_once, within
from afterburner.agent.models.requests.reservation import Reservation
from afterburner.agent.models.requests.spending import Budget
from afterburner.agent.options import Caps
from afterburner.sandbox import CancelledError, CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable

    from model_server import ModelServer

    from afterburner.agent.models.prompts.proposer import ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]

SERVER_S = 60  # how long the server stays silent; whoever waits for it has not been cancelled


def requesting() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name in {"request", "asking"}]


def ended() -> bool:
    for each in requesting():
        each.join(SERVER_S / 4)
    return not requesting()


def test_a_silent_server_is_left_at_once_whichever_client_litellm_takes(
    server: ModelServer, name_all: Callable[[str], None], request_of: MakeRequest, any_model: str
) -> None:
    token = CancelToken()

    def silence(_number: int) -> Fault:
        threading.Timer(0.05, token.cancel).start()
        return Fault(Kind.SILENCE)

    with serving(FaultProxy(server.url, silence)) as proxy:
        name_all(proxy.url)
        session = ModelSession(cancel=token)
        began = time.monotonic()
        with pytest.raises(CancelledError):
            open_proposer(any_model, retries=3, timeout_s=SERVER_S, model_session=session).propose(request_of(count=2))
        assert time.monotonic() - began < SERVER_S / 2
        assert ended()


def test_it_ends_at_any_moment(server: ModelServer, request_of: MakeRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connecting, waiting, reading, sleeping before a new try: none of it holds a cancelled run."""
    monkeypatch.setattr(patience, "FIRST_WAIT_S", SERVER_S)
    faults = [Fault(Kind.SILENCE), Fault(Kind.TRICKLE, delay_s=0.05), Fault(Kind.STATUS, 503)]
    chance = random.Random(12)
    with serving(FaultProxy(server.url, lambda number: faults[number % 3])) as proxy:
        monkeypatch.setenv("OPENAI_API_BASE", proxy.url)
        for _ in range(20):
            token = CancelToken()
            proposer = open_proposer("openai/gpt-4o-mini", timeout_s=SERVER_S, model_session=ModelSession(cancel=token))
            timer = threading.Timer(chance.uniform(0, 0.3), token.cancel)
            timer.start()
            began = time.monotonic()
            with pytest.raises(CancelledError):
                proposer.propose(request_of(count=2))
            assert time.monotonic() - began < SERVER_S / 2
            timer.join()
            assert ended()


def test_who_waits_for_a_share_of_the_budget_stops_waiting() -> None:
    token = CancelToken()
    budget = Budget(Caps(tokens=100), cancel=token)
    budget.reserve(Reservation(50, 50, None))
    threading.Timer(0.05, token.cancel).start()
    with pytest.raises(CancelledError):
        budget.reserve(Reservation(50, 50, None))


def test_nothing_is_begun_for_a_run_that_is_cancelled_already() -> None:
    token, begun = CancelToken(), threading.Event()
    token.cancel()
    with pytest.raises(CancelledError):
        within(SERVER_S, lambda _stop: begun.set(), token)
    assert not begun.is_set()


def test_a_job_that_took_too_long_is_told_to_stop() -> None:
    told: list[bool] = []
    with pytest.raises(TimeoutError):
        within(0.01, lambda stop: told.append(stop.wait(SERVER_S)), CancelToken())
    with suppress(IndexError):
        assert at_once([lambda: told[0]]) == [True]
    assert told == [True]
