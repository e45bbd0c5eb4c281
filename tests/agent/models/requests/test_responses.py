"""A model's server whose response has no end: memory is not filled with it, whichever client LiteLLM takes."""

from __future__ import annotations

import gzip
import socket
import threading
from typing import TYPE_CHECKING

import httpx
import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import serving

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.guarded_client import GuardedClient
from afterburner.agent.models.requests.refusals import MOST_RESPONSE_BYTES, EndlessResponseError

if TYPE_CHECKING:
    from collections.abc import Callable

    from model_server import ModelServer

    from afterburner.agent.models.prompts.proposer import ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]

UNDER_WAY = 32 * 1024 * 1024  # more than what sockets hold back


def test_a_response_without_an_end_is_given_up_and_not_asked_for_again(
    server: ModelServer, name_all: Callable[[str], None], request_of: MakeRequest, any_model: str
) -> None:
    with serving(FaultProxy(server.url, lambda _: Fault(Kind.ENDLESS))) as proxy:
        name_all(proxy.url)
        with pytest.raises(ProposerError, match=r"response is longer than 64 MiB") as caught:
            open_proposer(any_model, retries=3, timeout_s=120).propose(request_of())
        assert "\n" not in str(caught.value)
        each = proxy.sent_without_end / len(proxy.arrived)
    assert each < MOST_RESPONSE_BYTES + UNDER_WAY, "the connection was closed"
    assert len(proxy.arrived) <= 3, "Ollama is asked what the model can, too"


def test_what_is_packed_counts_unpacked() -> None:
    packed = gzip.compress(b"x" * (MOST_RESPONSE_BYTES + 1))
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n"
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(head.encode() + packed)

        threading.Thread(target=answer, daemon=True).start()
        with GuardedClient(timeout=60) as client, pytest.raises(EndlessResponseError):
            client.get(f"http://127.0.0.1:{listening.getsockname()[1]}")


def test_a_response_of_just_that_length_is_read() -> None:
    whole = b"x" * MOST_RESPONSE_BYTES
    answer = httpx.MockTransport(lambda _: httpx.Response(200, stream=httpx.ByteStream(whole)))
    with GuardedClient(transport=answer) as client:
        assert len(client.get("http://x").content) == len(whole)
