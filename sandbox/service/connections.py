"""Connections that do not wait for ever: for the head of a request to come in, or for a response to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio


def patient_connections(time_s: float) -> type[H11Protocol]:
    """The server's protocol, with this patience in seconds."""

    class Connection(H11Protocol):
        """One connection."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base
            super().connection_made(transport)
            self._head, self._reading = _Timer(self, time_s), _Timer(self, time_s)
            self._head.start()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE:
                self._head.start()
            else:
                self._head.stop()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._reading.start()

        def resume_writing(self) -> None:
            super().resume_writing()
            self._reading.stop()

        def connection_lost(self, exc: Exception | None) -> None:
            self._head.stop()
            self._reading.stop()
            super().connection_lost(exc)

    return Connection


class _Timer:
    """Hangs up on a connection, unless it is called off."""

    def __init__(self, connection: H11Protocol, time_s: float) -> None:
        self._connection = connection
        self._time_s = time_s
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begins to count, if it does not already."""
        if self._handle is None:
            self._handle = self._connection.loop.call_later(self._time_s, self._hang_up)

    def stop(self) -> None:
        """Calls it off."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _hang_up(self) -> None:
        self._connection.transport.abort()
