"""One HTTP request through LiteLLM, with a limit for connecting and one for the whole answer."""

from __future__ import annotations

import asyncio
import hashlib
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx

from afterburner.agent.models.requests.litellm_clients import using
from afterburner.agent.models.requests.litellm_module import import_litellm
from afterburner.agent.models.requests.parallel import within
from afterburner.sandbox.tracing import MODEL, span

if TYPE_CHECKING:
    from afterburner.agent.models.requests.request import ModelRequest
    from afterburner.sandbox import CancelToken

CONNECT_TIMEOUT_S = 10.0
_LIMITS = ("max_tokens", "max_completion_tokens")
_GRACE_S = 1.0  # the client's own limit comes first, for it closes the connection


def complete(
    request: ModelRequest, takes: frozenset[str], timeout_s: float, idempotency_key: str, cancel: CancelToken
) -> Any:
    """Send a request once and give LiteLLM's response.

    The client's limit is for each piece of an answer; ours is for all of it, so a server that trickles ends, too.

    Raises:
        TimeoutError: the whole answer did not come in time.
        CancelledError: the run was cancelled.
        Exception: whatever LiteLLM and the client library below it raise.
    """
    options = dict(request.parameters)
    if "seed" in takes:
        options["seed"] = request.seed
    if request.n > 1:
        options["n"] = request.n
    if "max_tokens" in options and not takes.intersection(_LIMITS):
        options["allowed_openai_params"] = ["max_tokens"]  # LiteLLM would drop it, and with it the cap
    return within(timeout_s + _GRACE_S, partial(_send, request, options, timeout_s, idempotency_key), cancel)


def idempotency_key(request: ModelRequest, run_id: str | None) -> str:
    """A header by which a provider that honours it knows a request again, and does not charge for it twice.

    `run_id` is given where another run is to get an answer of its own.
    """
    key = request.key()
    return key if run_id is None else hashlib.sha256(f"{key} {run_id}".encode()).hexdigest()


def _send(request: ModelRequest, options: dict[str, Any], timeout_s: float, key: str, stop: CancelToken) -> Any:
    litellm = import_litellm()
    with span(MODEL, "request"), asyncio.Runner() as runner, using(litellm, stop):
        runner.get_loop()  # LiteLLM's blocking calls use the thread's loop, or open one and leave it open
        return litellm.completion(
            model=request.model,
            messages=[dict(message) for message in request.messages],
            timeout=httpx.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s)),
            max_retries=0,  # ours are the only ones
            drop_params=True,
            extra_headers={"Idempotency-Key": key},
            **{"no-log": True},  # no callbacks: whoever uses LiteLLM in this process may upload what it logs
            **options,
        )
