"""Tries a request again where that may help: exponential backoff with jitter, or as long as the server asks."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, TypeVar

import tenacity

from afterburner.agent.events import EventKind
from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.sandbox import CancelledError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.models.requests.model_session import ModelSession

MOST_WAIT_S = 60.0  # a server that asks for more is given up
FIRST_WAIT_S = 2.0  # at least, at most twice that; then doubled
FIRST_BUSY_WAIT_S = 10.0  # likewise after a 429: after three waits whoever may ask so often a minute may ask again
Result = TypeVar("Result")


def patiently(send: Callable[[], Result], *, tries: int, model_session: ModelSession) -> Result:
    """Call `send` until it succeeds, fails for good or has been tried often enough; its last error is raised.

    Raises:
        CancelledError: the run was cancelled, even if a request failed in that same moment.
    """
    lines: list[str] = []

    def wait(state: tenacity.RetryCallState) -> float:
        asked: float | None = _failure(state).wait_s
        chance = random.random()  # noqa: S311 - so that not all come back at once
        if asked is not None:
            return asked + chance
        first_s = FIRST_BUSY_WAIT_S if _failure(state).busy else FIRST_WAIT_S
        return min(first_s * 2.0 ** (state.attempt_number - 1) * (1 + chance), MOST_WAIT_S)

    def too_long(state: tenacity.RetryCallState) -> bool:
        is_late = model_session.until is not None and state.upcoming_sleep > model_session.until.left_s()
        return model_session.stopped or is_late or (_failure(state).wait_s or 0.0) > MOST_WAIT_S

    def report(state: tenacity.RetryCallState) -> None:
        lines.append(_failure(state).line)
        model_session.report(EventKind.RETRYING, detail=lines[-1], seconds=state.upcoming_sleep)

    def sleep(seconds: float) -> None:
        if model_session.cancel.wait(seconds):
            raise CancelledError

    retrying = tenacity.Retrying(
        stop=lambda state: state.attempt_number >= tries or too_long(state),
        wait=wait,
        retry=tenacity.retry_if_exception(lambda error: getattr(getattr(error, "failure", None), "passing", False)),
        before_sleep=report,
        sleep=sleep,
        reraise=True,
    )
    try:
        return retrying(send)
    except Exception as error:
        if model_session.cancel.cancelled:  # nothing is tried again then, so it would look like a failure of the model
            raise CancelledError from error
        if isinstance(error, CapReachedError):
            raise CapReachedError(str(error), after=lines[-1] if lines else "") from None
        raise


def _failure(state: tenacity.RetryCallState) -> Any:
    assert state.outcome is not None  # noqa: S101 - narrows the type; there is one after a try
    return getattr(state.outcome.exception(), "failure", None)
