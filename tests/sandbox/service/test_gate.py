"""What the service refuses: strangers, floods, hostile bodies. And what it writes about them."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import logging
import socket
import time
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import UsageError
from afterburner.sandbox.service.settings import check_address
from afterburner.sandbox.service_token import read_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Service, Sleeper

    Serve = Callable[..., Service]

_GOOD = {"program": {"language": "python", "source": "print(1)"}, "cases": [{}]}


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer a-token-that-only-these-tests-kno", "bearer", "Basic YTpi", "Bearer " + "x" * 5000],
)
def test_without_the_token_nothing_but_the_page_is_served(service: Service, authorization: str) -> None:
    with service.client(authorization=authorization) as client:
        for answer in (client.get("/health"), client.get("/metrics"), client.post("/run", json=_GOOD)):
            assert (answer.status_code, answer.json()["kind"]) == (401, "token")
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert client.get("/docs").status_code == 200
        assert client.post("/docs").status_code == 401, "it would take a place in the queue"


def test_a_second_authorization_header_does_not_help(service: Service) -> None:
    with service.client(authorization="") as client:
        headers = [("Authorization", "Bearer wrong"), ("Authorization", f"Bearer {service.token}")]
        assert client.get("/health", headers=headers).status_code == 401


def test_a_token_comes_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AFTERBURNER_SERVICE_TOKEN", raising=False)
    assert read_token(None) is None
    monkeypatch.setenv("AFTERBURNER_SERVICE_TOKEN", "of-the-environment")
    assert read_token(None) == "of-the-environment"
    file = tmp_path / "token"
    file.write_text("0123456789abcdef\n")
    assert read_token(file) == "0123456789abcdef"


@pytest.mark.parametrize("text", ["", "short", "0123456789 abcdef", "0123456789abcdef\n0123456789abcdef", "größe" * 5])
def test_what_is_no_token_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "token"
    file.write_text(text)
    with pytest.raises(UsageError, match="token"):
        read_token(file)
    with pytest.raises(UsageError, match="cannot be read"):
        read_token(tmp_path)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_loopback_needs_no_token(host: str) -> None:
    check_address(host, None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "localhost.example.org", ""])  # noqa: S104
def test_other_addresses_need_one(host: str) -> None:
    with pytest.raises(UsageError, match="token"):
        check_address(host, None)
    check_address(host, "0123456789abcdef")


@pytest.mark.slow
def test_without_a_token_only_loopback_names_are_answered(serve: Serve) -> None:
    """A page in a browser of this machine could reach us under a name that its author lets point here."""
    service = serve(token=None)
    with service.client() as client:
        assert client.post("/run", json=_GOOD).status_code == 200
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1].evil", ""):
            assert client.post("/run", json=_GOOD, headers={"Host": host}).status_code in {400, 421}
        for host in ("localhost", "localhost:1", "[::1]:8000", "[::1]", "127.0.0.1"):
            assert client.get("/health", headers={"Host": host}).status_code == 200


def test_a_page_of_another_origin_cannot_send_a_plain_form(serve: Serve) -> None:
    service = serve(token=None)
    with service.client() as client:
        answer = client.post("/run", content=json.dumps(_GOOD), headers={"Content-Type": "text/plain"})
        assert answer.status_code == 422
        for origin in ("https://evil.example", "http://127.0.0.1.evil.example:8000", "null"):
            assert client.post("/run", json=_GOOD, headers={"Origin": origin}).status_code == 421
        assert client.get("/health", headers={"Origin": service.url}).status_code == 200


def test_only_what_is_posted_may_have_a_body(service: Service) -> None:
    with service.client() as client:
        answer = client.request("GET", "/docs", content=b"x")
    assert (answer.status_code, answer.json()["kind"]) == (413, "size")


def test_a_long_body_is_refused(service: Service) -> None:
    with service.client() as client:
        for size in (2 << 20, 40 << 20):
            answer = client.post("/run", content=b"x" * size)
            assert (answer.status_code, answer.json()["kind"]) == (413, "size")


def test_a_long_body_without_its_length_is_refused_while_it_comes_in(service: Service) -> None:
    sent = 0

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(100_000):
            sent += 1 << 16
            yield b"x" * (1 << 16)

    with service.client() as client:
        answer = client.post("/run", content=pieces())
    assert answer.status_code == 413
    assert sent < 1 << 30


def test_a_body_that_dawdles_is_refused(serve: Serve) -> None:
    service = serve(transfer_time_s=0.3)
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall(b"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n")
        line.sendall(f"Authorization: Bearer {service.token}\r\n\r\n{{".encode())
        assert line.recv(100).startswith(b"HTTP/1.1 408")


def test_a_client_that_leaves_in_the_middle_of_its_body_leaves_its_place(serve: Serve) -> None:
    service = serve(jobs=1, waiting=0)
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall(b"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n")
        line.sendall(f"Authorization: Bearer {service.token}\r\n\r\n{{".encode())
        while "POST" not in service.log.read_text() and service.run("print(1)").status_code != 503:
            time.sleep(0.01)
    deadline = time.monotonic() + 200
    while service.run("print(1)").status_code == 503:
        assert time.monotonic() < deadline


@pytest.mark.slow
def test_the_head_of_a_request_may_not_dawdle_either(serve: Serve) -> None:
    service = serve(transfer_time_s=0.3)
    host, port = service.url.removeprefix("http://").split(":")
    for said in (b"", b"POST /run HT", b"GET /docs HTTP/1.1\r\nHost: localhost\r\n\r\nGET /do"):
        with socket.create_connection((host, int(port)), timeout=60) as line:
            line.sendall(said)
            with contextlib.suppress(ConnectionResetError):
                while line.recv(1 << 16):
                    pass


@pytest.mark.slow
def test_a_client_that_does_not_read_is_hung_up_on(serve: Serve) -> None:
    service = serve(jobs=1, waiting=0, transfer_time_s=0.5)
    body = json.dumps(
        {
            "program": {"language": "python", "source": "print('x' * (40 << 20))"},
            "cases": [{}],
            "limits": {"output_bytes": 64 << 20},
            "keep_stdout_bytes": 64 << 20,
        }
    )
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall(b"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
        line.sendall(f"Authorization: Bearer {service.token}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        deadline = time.monotonic() + 200
        while service.run("print(1)").status_code != 503:
            assert time.monotonic() < deadline
        while service.run("print(1)").status_code == 503:
            assert time.monotonic() < deadline


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"1" * 10_000,
        b'{"program": {"language": "python", "source": "\\ud800"}, "cases": [{}]}',
        b'{"program": {"language": "python", "source": ""}, "cases": [{"stdin": "\\ud800"}]}',
        b'{"program": {"language": "python", "source": 1}, "cases": [{}]}',
        b'{"program": {"language": "python", "source": "", "arguments": ["\\u0000"]}, "cases": [{}]}',
        b'{"program": {"language": "python", "source": "", "path": "/etc/passwd"}, "cases": [{}]}',
        b'{"program": {"language": "python", "source": ""}, "cases": []}',
        b'{"program": {"language": "python", "source": ""}, "cases": [{"stdin": {"content": "*", "base64": true}}]}',
        b'{"program": {"language": "python", "source": ""}, "cases": [{}], "limits": {"wall_time_s": NaN}}',
        b'{"program": {"language": "python", "source": ""}, "cases": [{}], "limits": {"wall_time_s": Infinity}}',
        b'{"program": {"language": "python", "source": ""}, "cases": [{}], "limits": {"memory_kib": 1e999}}',
        b'{"program": {"language": "python", "source": ""}, "cases": [{}], "limits": {"memory_kib": 0}}',
        b'{"program": {"language": "python", "source": ""}, "cases": [{}], "limits": {"processes": -1}}',
        b'{"program": {"language": "python", "source": ""}, "cases": [{}], "checker": {"kind": "eval"}}',
        b'{"program": {"language": "python", "source": ""}, "cases": [{}], "keep_stdout_bytes": -1}',
    ],
    ids=lambda body: body[-50:].decode("latin-1"),
)
def test_a_body_of_another_form_is_refused_in_words(service: Service, body: bytes) -> None:
    with service.client() as client:
        answer = client.post("/run", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in {400, 422}
        assert answer.json()["status"] == "error"
        assert len(answer.content) < 2000
        assert client.get("/health").status_code == 200


def test_other_paths_and_methods_are_refused_in_words(service: Service) -> None:
    with service.client() as client:
        assert client.get("/etc/passwd").status_code == 404
        assert client.get("/run").status_code == 405
        assert client.delete("/health").json()["status"] == "error"


def test_what_is_no_http_is_answered_and_forgotten(service: Service) -> None:
    host, port = service.url.removeprefix("http://").split(":")
    for said in (
        b"\0" * 100 + b"\r\n\r\n",
        b"POST /run HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    ):
        with socket.create_connection((host, int(port))) as line:
            line.sendall(said)
            assert b"400" in line.recv(100)
    with service.client() as client:
        assert client.get("/health").status_code == 200


def test_too_many_requests_from_one_address_are_told_when_to_come_again(serve: Serve) -> None:
    service = serve(rate_per_s=0.5, burst=2)
    with service.client() as client:
        answers = [client.get("/health") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 2


def test_a_full_queue_is_told(serve: Serve, sleeper: Sleeper) -> None:
    service = serve(jobs=1, waiting=0)
    host, port = service.url.removeprefix("http://").split(":")
    line = http.client.HTTPConnection(host, int(port))
    headers = {"Authorization": f"Bearer {service.token}", "Content-Type": "application/json"}
    line.request("POST", "/run", json.dumps(sleeper.request), headers)
    sleeper.wait_for(running=True)
    answer = service.run("print(1)")
    assert (answer.status_code, answer.json()["kind"]) == (503, "busy")
    assert int(answer.headers["Retry-After"]) >= 1
    with service.client() as client:
        assert client.get("/health").json()["queue"] == {"running": 1, "waiting": 0, "jobs": 1, "bound": 0}
    line.close()
    sleeper.wait_for(running=False)


def test_the_log_has_one_line_for_each_request_and_nothing_that_a_client_wrote(serve: Serve) -> None:
    service = serve()
    with service.client() as client:
        client.get("/hostile%0a2026-01-01 INFO forged")
        client.request("FORGED", "/run")
        client.post("/run", json=_GOOD | {"forged": 1})
        client.post("/run", json=_GOOD | {"program": {"language": "forged", "source": "forged"}})
        client.get("/health", headers={"User-Agent": "forged", "X-Forwarded-For": "forged"})
    log = service.log.read_text()
    assert "forged" not in log.lower()
    assert service.token is not None
    assert service.token not in log
    assert [line.split()[4:7] for line in log.splitlines()[1:]] == [
        ["GET", "-", "404"],
        ["-", "/run", "405"],
        ["POST", "/run", "422"],
        ["POST", "/run", "422"],
        ["GET", "/health", "200"],
    ]


def test_a_mistake_of_our_own_is_an_error_500_and_its_log_line_does_not_repeat_the_request(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from afterburner.sandbox.cores import divide_cores  # noqa: PLC0415 - the only test that needs the inside
    from afterburner.sandbox.service.crew import Crew  # noqa: PLC0415 - likewise
    from afterburner.sandbox.service.gate import Gate  # noqa: PLC0415 - likewise
    from afterburner.sandbox.service.metrics import Metrics  # noqa: PLC0415 - likewise
    from afterburner.sandbox.service.settings import Settings  # noqa: PLC0415 - likewise

    async def broken(_scope: object, _receive: object, _send: object) -> None:
        raise KeyError("hostile text")

    sent: list[dict[str, object]] = []

    async def ask() -> None:
        crew = Crew(None, divide_cores(), jobs=1, waiting=1)  # type: ignore[arg-type] - nothing runs

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b""}

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/run", "headers": [(b"host", b"localhost")], "client": None}
        await Gate(broken, Settings(), crew, Metrics(crew), {"/run"})(scope, receive, send)  # type: ignore[arg-type]

    with caplog.at_level(logging.INFO, "afterburner.service"):
        asyncio.run(ask())
    assert sent[0]["status"] == 500
    assert "hostile" not in str(sent) + caplog.text
    assert "KeyError at " in caplog.text
