"""What every request passes before it is looked at: its rate, its token, its place in the queue and its size.

Written for ASGI itself, not as a middleware of the framework: those hide from an endpoint that its client has left.
"""

from __future__ import annotations

import logging
import re
import time
from collections import OrderedDict
from contextlib import nullcontext
from typing import TYPE_CHECKING

from afterburner.sandbox.service.problems import RefusalError, failure
from afterburner.sandbox.service.settings import is_loopback
from afterburner.sandbox.service.upload import Upload

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from afterburner.sandbox.service.crew import Crew
    from afterburner.sandbox.service.metrics import Metrics
    from afterburner.sandbox.service.settings import Settings

LOGGER = logging.getLogger("afterburner.service")
OPEN_PATHS = ("/docs", "/openapi.json")  # they say nothing of this machine, and a browser sends no token
_READING = ("GET", "HEAD")
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_CLIENTS = 10_000  # addresses whose rate is remembered
_PORT = re.compile(r":[0-9]*$")
_PIECE_BYTES = 1 << 16
_CLIENT_LEFT = 499  # nobody receives it; for the log


class Gate:
    """Lets requests through to the application, answers the others, and writes one line on each."""

    def __init__(self, app: ASGIApp, settings: Settings, crew: Crew, metrics: Metrics, paths: Collection[str]) -> None:
        self._app = app
        self._settings = settings
        self._crew = crew
        self._metrics = metrics
        self._paths = paths
        self._rates = _Rates(settings.rate_per_s, settings.burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; or the start and end of the service, which are the application's."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        most = self._settings.body_bytes if scope["method"] == "POST" else 0
        upload = Upload(receive, most, self._settings.transfer_time_s)
        answer = _Answer(send)
        try:
            await self._serve(scope, upload, answer)
        except RefusalError as refusal:
            refusal.hangs_up = not await upload.discard()
            await answer.refuse(refusal, scope, receive)
        except Exception as error:  # noqa: BLE001 - a traceback could repeat what a client wrote
            _log_failure(error)
            await answer.refuse(failure(), scope, receive)
        finally:
            self._note(scope, answer.status, time.monotonic() - started)

    async def _serve(self, scope: Scope, upload: Upload, answer: _Answer) -> None:
        self._check_host(scope)
        self._rates.take(_client(scope))
        is_open = scope["path"] in OPEN_PATHS and scope["method"] in _READING
        if not is_open and not self._settings.accepts(_header(scope, b"authorization")):
            raise RefusalError(401, "token", "This service needs its bearer token: `Authorization: Bearer …`.")
        with self._crew.admit() if scope["method"] == "POST" else nullcontext():
            body = await upload.read(_header(scope, b"content-length"))
            if body is not None:
                await self._app(scope, upload.replay(body), answer)

    def _check_host(self, scope: Scope) -> None:
        """Without a token, no page from elsewhere in this machine's browser must reach us, however it names us."""
        origins = [value.partition(b"://")[2] for key, value in scope["headers"] if key == b"origin"]
        hosts = [_PORT.sub("", name.decode("latin-1")) for name in (_header(scope, b"host"), *origins)]
        if self._settings.token is None and not all(map(is_loopback, hosts)):
            raise RefusalError(421, "host", "Without a token this service answers to loopback addresses alone.")

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self._paths else "-"  # nothing that a client wrote gets into the log
        method = scope["method"] if scope["method"] in _METHODS else "-"
        self._metrics.count_request(path, status)
        LOGGER.info("%s %s %s %d %.3f s", _client(scope), method, path, status, seconds)


class _Answer:
    """The way back to the client."""

    def __init__(self, send: Send) -> None:
        self.status = _CLIENT_LEFT
        self._send = send
        self._is_begun = False

    async def __call__(self, message: Message) -> None:
        """Sends in pieces, each of which waits for the client to read: the server would hold what is not read yet."""
        if message["type"] == "http.response.start":
            self._is_begun, self.status = True, message["status"]
            await self._send(message)
            return
        body = message.get("body", b"")
        for start in range(0, len(body) or 1, _PIECE_BYTES):
            end = start + _PIECE_BYTES
            more = end < len(body) or message.get("more_body", False)
            await self._send({"type": message["type"], "body": body[start:end], "more_body": more})

    async def refuse(self, refusal: RefusalError, scope: Scope, receive: Receive) -> None:
        """Answers with something else than a report, if there is no answer yet."""
        if not self._is_begun:
            await refusal.response()(scope, receive, self)


class _Rates:
    """A token bucket for each client address."""

    def __init__(self, per_s: float, burst: int) -> None:
        self._per_s = per_s
        self._burst = burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and since when

    def take(self, client: str) -> None:
        """Counts one request.

        Raises:
            RefusalError: too many of them.
        """
        now = time.monotonic()
        left, since = self._buckets.pop(client, (float(self._burst), now))
        left = min(self._burst, left + (now - since) * self._per_s)
        self._buckets[client] = (max(0.0, left - 1) if left >= 1 else left, now)
        if len(self._buckets) > _CLIENTS:
            self._buckets.popitem(last=False)
        if left < 1:
            message = f"More than {self._per_s:g} requests a second from one address."
            raise RefusalError(429, "rate", message, retry_after_s=(1 - left) / self._per_s)


def _client(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else "-"


def _header(scope: Scope, name: bytes) -> bytes:
    """The header; empty if it is missing, or there twice."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0] if len(values) == 1 else b""


def _log_failure(error: BaseException) -> None:
    """What failed and where, without the message, which may repeat what a client wrote."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "an unknown place"
    LOGGER.error("%s at %s", type(error).__name__, place)
