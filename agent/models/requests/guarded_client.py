"""The HTTP client of one request to a model: it stays with its host, reads up to a limit, and can be stopped."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx

from afterburner.agent.models.requests.refusals import MOST_RESPONSE_BYTES, EndlessResponseError, RedirectedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ABOUT_THE_BODY = {"content-encoding", "content-length", "transfer-encoding"}  # as it was sent


class GuardedClient(httpx.Client):
    """Follows no redirect to another host or from https to http, and gives up a response that is too long.

    `stop` closes its connections from any thread, also while another one waits for a response.
    """

    def __init__(self, **options: Any) -> None:
        """Take the options of `httpx.Client`."""
        super().__init__(**options)
        self._connections = _Connections()

    def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        """Send a request, and those that follow from redirects.

        Raises:
            RedirectedError: the server sends us to another host.
            EndlessResponseError: the response, unpacked, is longer than any answer.
        """
        follows = options.pop("follow_redirects", httpx.USE_CLIENT_DEFAULT)
        if isinstance(follows, bool):
            limit = self.max_redirects if follows else 0
        else:
            limit = self.max_redirects if self.follow_redirects else 0
        history: list[httpx.Response] = []
        while True:
            request.extensions = {**request.extensions, "trace": self._connections.trace}
            response = super().send(request, stream=True, follow_redirects=False, **options)
            following = response.next_request
            if following is None or limit == 0:
                break
            response.close()
            _check_host(request.url, following.url)
            history.append(response)
            if len(history) > limit:
                raise httpx.TooManyRedirects("Exceeded maximum allowed redirects.", request=request)
            request = following
        bounded = _bounded(response)
        bounded.history = history
        if not stream:
            try:
                bounded.read()
            finally:
                bounded.close()
            bounded.elapsed = response.elapsed
        return bounded

    def stop(self) -> None:
        """Close all connections, also those in use; whoever waits for one gets an error at once."""
        self._connections.shut()

    def close(self) -> None:
        """Close the client, and let go of its connections."""
        super().close()
        self._connections.release()

    def __exit__(self, *raised: object) -> None:
        """Close it, as `close` does."""
        super().__exit__(*raised)  # type: ignore[arg-type]  # as it was given
        self._connections.release()


def _check_host(been: httpx.URL, to: httpx.URL) -> None:
    if to.host != been.host or (been.scheme, to.scheme) == ("https", "http"):
        raise RedirectedError(been.host, f"{to.scheme}://{to.host}")


def _bounded(response: httpx.Response) -> httpx.Response:
    """The same response, unpacked, with a body that ends at the latest where no answer is that long."""
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in _ABOUT_THE_BODY]
    return httpx.Response(
        response.status_code,
        headers=headers,
        stream=_BoundedStream(response),
        request=response.request,
        extensions=response.extensions,
        default_encoding=response.default_encoding,
    )


class _BoundedStream(httpx.SyncByteStream):
    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        left = MOST_RESPONSE_BYTES
        for piece in self._response.iter_bytes():
            left -= len(piece)
            if left < 0:
                raise EndlessResponseError
            yield piece

    def close(self) -> None:
        self._response.close()


class _Connections:
    """The connections of a client, as httpcore's trace extension tells of them.

    A duplicate of each socket is kept: shutting it down ends the connection whatever has been wrapped around it since.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._is_shut = False

    def trace(self, event: str, details: Mapping[str, Any]) -> None:
        """Keep the socket of a new connection."""
        if not event.endswith(".connect_tcp.complete"):
            return
        duplicate: socket.socket = details["return_value"].get_extra_info("socket").dup()
        with self._lock:
            self._sockets.append(duplicate)
        if self._is_shut:
            self.shut()

    def shut(self) -> None:
        """End the connections there are, and those to come."""
        with self._lock:
            self._is_shut = True
            for each in self._sockets:
                with suppress(OSError):  # the server was first
                    each.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """Close the duplicates: only then is the connection closed that its client has closed."""
        with self._lock:
            while self._sockets:
                self._sockets.pop().close()
