"""Listens, serves, and ends in order."""

from __future__ import annotations

import asyncio
import logging
import math
import signal
import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.service.app import Service
from afterburner.sandbox.service.connections import patient_connections
from afterburner.sandbox.service.gate import LOGGER
from afterburner.sandbox.service.settings import check_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox.sandbox import Sandbox
    from afterburner.sandbox.service.settings import Settings

_CONNECTIONS_BESIDE_WORK = 256
_LAST_WORDS_S = 5


def serve(sandbox: Sandbox, settings: Settings, host: str, port: int, version: str) -> None:
    """Serves until SIGTERM or SIGINT; then finishes what runs within the grace time, or kills it, and returns.

    A second signal kills at once. One line on each request goes to the log.

    Raises:
        UsageError: it may not, or cannot, listen there.
    """
    check_address(host, settings.token)
    service = Service(sandbox, settings, version)  # before it listens: a proxy asks another one meanwhile
    with _listener(host, port) as listener:
        asyncio.run(_serve(service, settings, listener))


async def _serve(service: Service, settings: Settings, listener: socket.socket) -> None:
    config = uvicorn.Config(
        service.app(),
        http=patient_connections(settings.transfer_time_s),
        ws="none",
        lifespan="off",
        proxy_headers=False,  # whoever connects can write them
        server_header=False,
        access_log=False,
        log_config=None,
        limit_concurrency=service.crew.jobs + settings.waiting + _CONNECTIONS_BESIDE_WORK,
        timeout_graceful_shutdown=math.ceil(settings.grace_s) + _LAST_WORDS_S,
    )
    server = _Server(config)
    ending: set[asyncio.Task[None]] = set()

    def end() -> None:
        if ending:
            service.crew.kill()
            return
        LOGGER.info("shutting down; what runs has %g s to finish", settings.grace_s)
        server.should_exit = True
        ending.add(asyncio.create_task(service.crew.finish(settings.grace_s)))

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)
    host, port = listener.getsockname()[:2]
    LOGGER.info("listening on http://%s:%d", f"[{host}]" if ":" in host else host, port)
    try:
        await server.serve(sockets=[listener])
        for task in ending:
            await task
    finally:
        service.crew.close()


class _Server(uvicorn.Server):
    """Leaves signals to us: uvicorn would raise them again at its end, and the exit code would tell of a kill."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


def log_to_stderr() -> None:
    """Our lines, and warnings of the server's own, to stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name, level in ((LOGGER.name, logging.INFO), ("uvicorn", logging.CRITICAL)):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(level)
        logger.propagate = False


def _listener(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=1024)
    except (OSError, UnicodeError, OverflowError) as error:
        raise UsageError(f"Cannot listen on {host}:{port}: {error}. Choose another --host or --port.") from error
