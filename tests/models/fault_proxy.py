"""A proxy in front of a model's server that spoils chosen requests as real networks and providers do."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Kind(StrEnum):
    """What goes wrong. The first group never reaches the server; of the second, the server has done its work."""

    STATUS = "a status in place of an answer"
    HANG_UP = "the connection is closed at once"
    SILENCE = "the connection stays open and nothing comes"
    ENDLESS = "an answer without an end"

    LOST = "the answer is made and never passed on"
    HALF = "the connection closes in the middle of the answer"
    CUT_JSON = "the answer ends in the middle, as if it were whole"
    HTML = "a page in place of JSON"
    OTHER_JSON = "JSON of another form"
    NO_CHOICES = "an answer without choices"
    TRICKLE = "the answer comes byte by byte"
    LATE = "the answer comes late"


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong."""

    kind: Kind
    status: int = 500
    message: str = "injected"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0  # before a late answer, or between the bytes of one that trickles


class FaultProxy(ThreadingHTTPServer):
    """Passes requests on, but for those that the plan names by their number, from 1, in the order of arrival."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, upstream: str, plan: Mapping[int, Fault] | Callable[[int], Fault | None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(upstream).netloc
        self.fault_of = plan if callable(plan) else plan.get
        self.arrived: list[float] = []  # when, on the monotonic clock
        self.sent_without_end = 0  # bytes
        self.closing = threading.Event()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def shutdown(self) -> None:
        self.closing.set()
        super().shutdown()

    def number(self) -> int:
        with self._lock:
            self.arrived.append(time.monotonic())
            return len(self.arrived)


class _Handler(BaseHTTPRequestHandler):
    server: FaultProxy

    def do_POST(self) -> None:
        fault = self.server.fault_of(self.server.number())
        request = self.rfile.read(int(self.headers["Content-Length"]))
        kind = fault.kind if fault else None
        if fault and kind is Kind.STATUS:
            self._send(fault.status, json.dumps({"error": {"message": fault.message}}).encode(), **fault.headers)
        elif kind is Kind.HANG_UP:
            self._hang_up()
        elif kind is Kind.SILENCE:
            self.server.closing.wait(60)
            self._hang_up()
        elif kind is Kind.ENDLESS:
            self._go_on_for_ever()
        else:
            self._pass_on(request, fault)

    def _pass_on(self, request: bytes, fault: Fault | None) -> None:
        status, answer = self._ask(request)
        kind = fault.kind if fault else None
        if fault is None or fault.kind is Kind.LATE:
            self.server.closing.wait(fault.delay_s if fault else 0)
            self._send(status, answer)
        elif kind is Kind.LOST:
            self._hang_up()
        elif kind is Kind.HALF:
            self._head(200, len(answer))
            self.wfile.write(answer[: len(answer) // 2])
            self._hang_up()
        elif kind is Kind.CUT_JSON:
            self._send(200, answer[: len(answer) // 2])
        elif kind is Kind.HTML:
            self._send(200, b"<html><h1>Welcome to the hotel's network</h1></html>", **{"Content-Type": "text/html"})
        elif kind is Kind.OTHER_JSON:
            self._send(200, b'{"result": "fine"}')
        elif kind is Kind.NO_CHOICES:
            usage = b'{"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6}'
            self._send(200, b'{"id": "1", "object": "chat.completion", "choices": [], "usage": ' + usage + b"}")
        elif kind is Kind.TRICKLE:
            self._trickle(answer, fault.delay_s)

    def _ask(self, request: bytes) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.server.upstream, timeout=60)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            connection.request("POST", self.path, request, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def _trickle(self, answer: bytes, delay_s: float) -> None:
        self._head(200, len(answer))
        try:
            for index in range(len(answer)):
                self.wfile.write(answer[index : index + 1])
                if self.server.closing.wait(delay_s):
                    break
        except OSError:
            pass  # the client has had enough
        self._hang_up()

    def _go_on_for_ever(self) -> None:
        """Until the client closes the connection; what it was sent is counted."""
        self._head(200, 1 << 50)
        piece = b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "'
        with suppress(OSError):
            while not self.server.closing.is_set():
                self.wfile.write(piece)
                self.server.sent_without_end += len(piece)
                piece = b"x" * (1 << 16)
        self._hang_up()

    def _head(self, status: int, length: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.flush()

    def _send(self, status: int, data: bytes, **headers: str) -> None:
        self._head(status, len(data), **headers)
        with suppress(OSError):  # likewise
            self.wfile.write(data)

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):  # the client was first
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""
