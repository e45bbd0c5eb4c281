"""That no server is there is found out early, and only where it is certain; nothing is sent for it."""

from __future__ import annotations

import socket
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import ProposerError
from afterburner.agent.events import EventKind
from afterburner.agent.models.litellm_proposer import LiteLLMProposer
from afterburner.agent.models.requests.absent_server import refused_connection
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.sandbox import CancelledError, CancelToken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.events import ProgressEvent

NOWHERE_ELSE = "192.0.2.1:9"  # reserved for documentation (RFC 5737): a connection there would take long to fail


@pytest.fixture(autouse=True)
def plain_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server


@pytest.fixture
def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port: int = server.getsockname()[1]
    return port


def proposer_at(port: int, monkeypatch: pytest.MonkeyPatch, session: ModelSession, retries: int) -> LiteLLMProposer:
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", f"http://127.0.0.1:{port}/v1")
    return LiteLLMProposer("hosted_vllm/m", retries=retries, model_session=session)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.9.9.9"])
def test_a_refused_connection_on_this_machine_is_told(host: str, free_port: int) -> None:
    assert "refused" in refused_connection(f"{host}:{free_port}/v1")


def test_who_listens_is_sent_nothing(listening: socket.socket) -> None:
    assert not refused_connection(f"127.0.0.1:{listening.getsockname()[1]}/v1")
    connection, _ = listening.accept()
    with closing(connection):
        assert connection.recv(1) == b""


@pytest.mark.parametrize("server", ["", "localhost/v1", "[", "host:seven", NOWHERE_ELSE, "api.example.org:443/v1"])
def test_what_is_not_certain_is_left_to_the_request(server: str) -> None:
    assert not refused_connection(server)


def test_behind_a_proxy_nothing_is_known(free_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    assert not refused_connection(f"127.0.0.1:{free_port}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert refused_connection(f"127.0.0.1:{free_port}")


def test_a_model_whose_server_is_absent_ends_as_a_request_would(
    free_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposer = proposer_at(free_port, monkeypatch, ModelSession(), retries=0)
    with pytest.raises(ProposerError, match=r"hosted_vllm/m cannot be used\. Its server cannot be reached: check its"):
        proposer.await_server()


def test_a_server_that_comes_up_is_waited_for(free_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[ProgressEvent] = []
    servers: list[socket.socket] = []

    def start_server(event: ProgressEvent) -> None:
        events.append(event)
        servers.append(socket.create_server(("127.0.0.1", free_port)))

    proposer_at(free_port, monkeypatch, ModelSession(on_event=start_server), retries=1).await_server()
    servers[0].close()
    assert [event.kind for event in events] == [EventKind.RETRYING]
    assert "cannot be reached" in events[0].detail


def test_the_wait_for_a_server_can_be_cancelled(free_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cancel, waits = CancelToken(), threading.Event()
    session = ModelSession(cancel=cancel, on_event=lambda _event: waits.set())
    proposer = proposer_at(free_port, monkeypatch, session, retries=3)
    canceller = threading.Thread(target=lambda: (waits.wait(60), cancel.cancel()))
    canceller.start()
    with pytest.raises(CancelledError):
        proposer.await_server()
    canceller.join()


def test_one_model_that_is_there_is_enough(
    free_port: int, listening: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", f"http://127.0.0.1:{free_port}/v1")
    monkeypatch.setenv("LM_STUDIO_API_BASE", f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
    LiteLLMProposer("hosted_vllm/m", retries=0, fallbacks=["lm_studio/m"]).await_server()
