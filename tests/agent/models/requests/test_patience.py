"""How long is waited before a request is made again; nothing really waits here but what is told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.models.requests import patience
from afterburner.agent.models.requests.client import RequestFailedError
from afterburner.agent.models.requests.failures import Failure
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.sandbox import CancelledError, CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.events import ProgressEvent


class Waits(SimpleNamespace):
    """In place of the token that is waited for: keeps how long, and does not wait."""

    cancelled = False

    def __init__(self) -> None:
        super().__init__(waited_s=[])

    def wait(self, seconds: float) -> None:
        self.waited_s.append(seconds)


def failing(failure: Failure) -> Callable[[], None]:
    def send() -> None:
        raise RequestFailedError(failure)

    return send


def waits(failure: Failure, *, retries: int = 3, until: Deadline | None = None) -> list[float]:
    """The seconds of each wait until it is given up; what is told is as long."""
    told: list[ProgressEvent] = []
    model_session = ModelSession(until=until, on_event=told.append)
    model_session.cancel = waiting = Waits()  # type: ignore[assignment]
    with pytest.raises(RequestFailedError):
        patience.patiently(failing(failure), tries=retries + 1, model_session=model_session)
    assert [event.seconds for event in told] == waiting.waited_s
    return list(waiting.waited_s)


@pytest.fixture(autouse=True)
def real_waits(monkeypatch: pytest.MonkeyPatch, environment: None) -> None:  # noqa: ARG001 - which shortens them
    monkeypatch.setattr(patience, "FIRST_WAIT_S", 2.0)
    monkeypatch.setattr(patience, "FIRST_BUSY_WAIT_S", 10.0)


def test_waits_double_with_chance_up_to_a_minute() -> None:
    seconds = waits(Failure("gone", passing=True, free=False), retries=8)
    for number, each in enumerate(seconds):
        assert min(2 * 2**number, 60) <= each <= min(4 * 2**number, 60)
    assert seconds[5:] == [60, 60, 60]
    assert len({*seconds[:4], *waits(Failure("gone", passing=True, free=False))}) > 4


def test_who_may_ask_so_often_a_minute_is_asked_again_after_it() -> None:
    for _ in range(20):
        seconds = waits(Failure("busy", passing=True, free=True, busy=True))
        assert len(seconds) == 3
        assert sum(seconds) > 60


def test_a_server_is_given_the_minute_that_it_asks_for_and_no_more() -> None:
    (seconds,) = waits(Failure("busy", passing=True, free=True, busy=True, wait_s=60.0), retries=1)
    assert 60 <= seconds <= 61
    assert waits(Failure("busy", passing=True, free=True, busy=True, wait_s=61.0)) == []


def test_nobody_waits_beyond_the_time_of_the_run() -> None:
    assert waits(Failure("busy", passing=True, free=True, busy=True), until=Deadline.after(9)) == []
    assert waits(Failure("gone", passing=True, free=False), until=Deadline.after(1)) == []
    assert waits(Failure("gone", passing=True, free=False), retries=0) == []


@pytest.mark.parametrize("passing", [True, False])
def test_a_request_that_fails_in_the_moment_of_a_cancel_is_no_failure_of_the_model(passing: bool) -> None:
    token = CancelToken()

    def cancelled_meanwhile() -> None:
        token.cancel()
        raise RequestFailedError(Failure("gone", passing=passing, free=False))

    with pytest.raises(CancelledError):
        patience.patiently(cancelled_meanwhile, tries=3, model_session=ModelSession(cancel=token))
