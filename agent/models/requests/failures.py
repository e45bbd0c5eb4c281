"""What a failed request means: whether to try again and when, whether it may have cost something, what to tell."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from afterburner.agent.models.requests.known_keys import variable_of
from afterburner.agent.models.requests.refusals import RefusedError, UnguardedError
from afterburner.agent.models.requests.served_names import OF_ONES_OWN, ends_in_v1

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType

    from afterburner.agent.models.requests.language_model import Model

_MAX_MESSAGE_CHARS = 300
_OF_LITELLM = re.compile(r"\Alitellm\.(\w+): (?:\1: )?(?:\w*Exception - )?")  # says nothing to a user
_OF_ANY_REQUEST = {401, 404}  # 400 and 403 may be about one prompt alone
_SERVER_FAILED = "Its server failed or gave no usable answer"
_TRY_LATER = f"{_SERVER_FAILED}: try again later."
_NOT_ARRIVED = {"ConnectError", "ConnectTimeout", "PoolTimeout", UnguardedError.__name__}


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request, explained in one line without secrets."""

    line: str
    passing: bool  # may be gone the next time
    free: bool  # turned away or never arrived: nothing was used
    never_arrived: bool = False  # nor did anybody see it: it is no request
    too_many: bool = False  # the server may not want to give several answers at once
    too_long: bool = False  # the server may not want to give answers that long
    turns_all_away: bool = False  # any other request would fail alike: the name of the model, the key, a used-up quota
    busy: bool = False  # too many requests in too short a time
    vague: str = ""  # the part of `line` that says little, because the server failed or found nothing, and not why
    wait_s: float | None = None  # what the server asked us to wait


def failure_of(
    litellm: ModuleType, model: Model, error: Exception, timeout_s: float, scrub: Callable[[str], str]
) -> Failure:
    """Say what an exception of LiteLLM, or of a client library below it, means."""
    not_arrived = any(type(each).__name__ in _NOT_ARRIVED for each in _causes(error))
    timed_out = isinstance(error, TimeoutError | litellm.Timeout)
    status = 0 if timed_out else _status(error)
    quota = "insufficient_quota" in str(error)
    passing = isinstance(error, (litellm.RateLimitError, litellm.APIConnectionError, *_server_errors(litellm)))
    refused = next((str(each) for each in _causes(error) if isinstance(each, RefusedError)), "")  # by us
    advice = refused or (_unreachable(model) if not_arrived else _advice(litellm, model, error, timeout_s))
    line = _OF_LITELLM.sub("", " ".join(str(error).partition("Traceback (most recent call last)")[0].split()))
    return Failure(
        line=f"{model.name} cannot be used. {advice} ({scrub(line)[:_MAX_MESSAGE_CHARS] or type(error).__name__})",
        passing=(passing or not_arrived or 500 <= status < 600) and not quota and not refused,
        free=not_arrived or 400 <= status < 500,
        never_arrived=not_arrived,
        too_many=status == 400,
        too_long=status == 400 and ("token" in line or "context" in line),
        turns_all_away=quota or status in _OF_ANY_REQUEST,
        busy=isinstance(error, litellm.RateLimitError),
        vague=advice if advice in {_TRY_LATER, _not_found(model)} else "",
        wait_s=_retry_after(_headers(error)),
    )


def absence_of(model: Model, why: str) -> Failure:
    """The same of a model whose server is known to be absent, before a request."""
    return Failure(line=f"{model.name} cannot be used. {_unreachable(model)} ({why})", passing=True, free=True)


def unserved(model: Model, served: Sequence[str]) -> Failure:
    """The same of a model that its server does not have."""
    names = ", ".join(served)
    line = f"{model.name} cannot be used. Its server, {model.server}, has no model of that name. It serves: {names}."
    return Failure(line=line, passing=False, free=True, turns_all_away=True)


def of_unlisted(failure: Failure, listed: Sequence[str]) -> Failure:
    """A vague failure of a server that lists only other models, which may be why: trying later may not help."""
    unlisted = f"{_SERVER_FAILED}, and it" if failure.vague == _TRY_LATER else "Its server"
    told = f"{unlisted} does not list a model of that name. It lists: {', '.join(listed)}."
    return replace(failure, line=failure.line.replace(failure.vague, told, 1))


def _unreachable(model: Model) -> str:
    address = f", {model.server}," if model.server else ""
    return f"Its server cannot be reached: check its address{address} and the network."


def _advice(litellm: ModuleType, model: Model, error: Exception, timeout_s: float) -> str:
    where = variable_of(model.name) or "the environment"
    for kind, text in (
        (litellm.AuthenticationError, f"Check the key in {where}."),
        (litellm.PermissionDeniedError, "The key may not use this model."),
        (litellm.NotFoundError, _not_found(model)),
        (litellm.RateLimitError, "Wait, or ask for fewer candidates."),
        ((litellm.Timeout, TimeoutError), f"It did not answer within {timeout_s:.3g} s.{_of_own_server(model)}"),
        (litellm.ContextWindowExceededError, "The function is too long for it."),
        (litellm.BadRequestError, "It does not accept the request."),
        (_server_errors(litellm), _TRY_LATER),
        (litellm.APIConnectionError, "Check the network, and the address if you gave one."),
        (ImportError, "Install what the provider needs."),
    ):
        if isinstance(error, kind):
            return text
    return "Try again, or choose another model."


def _not_found(model: Model) -> str:
    """What to check: on a server of the user's own the path of the address first, as far as it is an unusual one."""
    is_own = bool(model.server) and model.name.partition("/")[0] in OF_ONES_OWN
    if is_own and not ends_in_v1(model.server):
        return f"Check the address of its server, {model.server} (most end in /v1), and the name of the model."
    return "Check the name of the model and the address of its server."


def _of_own_server(model: Model) -> str:
    """What may keep a server of the user's own: some look for a name that they do not have on the hub, and wait."""
    if not model.server:
        return ""
    return (
        f" Look into the log of {model.server}: it may be too slow, or be looking for a model of this name elsewhere."
    )


def _server_errors(litellm: ModuleType) -> tuple[type[Exception], ...]:
    """What is no fault of ours; APIError is what some of LiteLLM's providers make of an answer that is no JSON."""
    return (litellm.InternalServerError, litellm.ServiceUnavailableError, litellm.BadGatewayError, litellm.APIError)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(20):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _status(error: Exception) -> int:
    try:
        return int(getattr(error, "status_code", 0) or 0)
    except (TypeError, ValueError):
        return 0


def _headers(error: Exception) -> Mapping[str, str]:
    response: Any = getattr(error, "response", None)
    return getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, or a date (RFC 9110, section 10.2.3)."""
    text = headers.get("retry-after") or headers.get("Retry-After") or ""
    if text.strip().isdecimal():
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
