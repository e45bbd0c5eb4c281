"""A sandbox on another machine: the client of the service, with the methods of the sandbox that runs here."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import re
import socket
from collections import deque
from concurrent.futures import CancelledError as FutureCancelledError
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

import httpx
from anyio.from_thread import start_blocking_portal
from pydantic import BaseModel, ValidationError
from tenacity import (
    AsyncRetrying,
    retry_if_exception_type,
    retry_if_result,
    stop_after_attempt,
    stop_after_delay,
    wait_exponential,
)

from afterburner.sandbox import service_schema as schema
from afterburner.sandbox.cores import ServiceSlots
from afterburner.sandbox.errors import (
    AfterburnerError,
    CancelledError,
    SandboxInternalError,
    SandboxUnavailableError,
    UsageError,
)
from afterburner.sandbox.sandbox import Sandbox
from afterburner.sandbox.service_token import BEARER_VARIABLE
from afterburner.sandbox.service_translation import report_of, request_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator
    from concurrent.futures import Future

    from anyio.from_thread import BlockingPortal
    from tenacity import RetryCallState

    from afterburner.sandbox.container import Container
    from afterburner.sandbox.languages import Language
    from afterburner.sandbox.task import Task
    from afterburner.sandbox.toolchains import Toolchain
    from afterburner.sandbox.types import ContainerSpec, PythonEnvironment, Report

_BUSY = (429, 503)
_PATIENCE_S = 600.0  # with a service that is busy
_TRIES = 5  # times a task is sent if its connection breaks; the pauses add up to 15 s, for a service to restart
_BROKEN = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
_LONGEST_PAUSE_S = 8.0
_CONNECT_S = 10.0
_LONG_REQUEST_BYTES = 1 << 20  # a service may hang up on one while it is still sent
_DEFAULT_JOBS = 8
_Model = TypeVar("_Model", bound=BaseModel)


@contextmanager
def open_remote(url: str) -> Iterator[RemoteSandbox]:
    """The sandbox of a service; its token comes from AFTERBURNER_SERVICE_TOKEN.

    Raises:
        SandboxUnavailableError: nothing answers there, or something else than the service.
        UsageError: it is no address, or the token is refused.
    """
    token = os.environ.get(BEARER_VARIABLE)
    with start_blocking_portal() as portal:
        try:
            client = httpx.AsyncClient(
                base_url=url,
                headers={"Authorization": f"Bearer {token}"} if token else {},
                timeout=httpx.Timeout(None, connect=_CONNECT_S),  # a task takes as long as it takes
                transport=httpx.AsyncHTTPTransport(
                    limits=httpx.Limits(max_connections=None), trust_env=False, socket_options=_keep_alive()
                ),
                trust_env=False,
            )
        except (httpx.InvalidURL, UnicodeEncodeError) as error:
            raise UsageError(f"{_shown(url)!r} is not the address of a sandbox service: {error}.") from error
        with portal.wrap_async_context_manager(client):
            line = _Line(_shown(url), client)
            yield RemoteSandbox(portal, line, portal.call(line.ask_health))


def _shown(url: str) -> str:
    """An address without the password that may be in it."""
    return re.sub(r"//[^/@]*@", "//***@", url)


def _keep_alive() -> list[tuple[int, int, int]]:
    """A service that has gone without a word is noticed, however long a task may take."""
    options = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):  # macOS names the first one otherwise
            options.append((socket.IPPROTO_TCP, getattr(socket, name), value))
    return options


class RemoteSandbox(Sandbox):
    """Runs programs at a service; several threads may do so at once. Made by `open_remote`.

    Only programs that stand for themselves travel: without calls of functions, a place in a project or an
    environment, all of which are on this machine.
    """

    def __init__(self, portal: BlockingPortal, line: _Line, health: schema.Health) -> None:
        super().__init__(_RemoteBackend(health), Path())
        self._portal = portal
        self._line = line
        self._health = health
        self._under_way: set[Future[Report]] = set()
        self._remote_branches: set[RemoteSandbox] = set()

    def stop(self) -> None:
        """Ends whatever runs, at once. Whoever waits for it, or asks for more, gets a CancelledError.

        We hang up, upon which the service kills what it runs for us.
        """
        self.stopped = True
        for future in tuple(self._under_way):
            future.cancel()
        for branch in tuple(self._remote_branches):
            branch.stop()

    @contextmanager
    def branch(self, known_in: Path | None = None) -> Iterator[RemoteSandbox]:
        """The same sandbox again, which can be stopped without this one; stopping this one stops it, too.

        It keeps nothing of what it runs, wherever `known_in` is: what a service runs on is not ours to look at.
        """
        del known_in
        branch = RemoteSandbox(self._portal, self._line, self._health)
        self._remote_branches.add(branch)
        if self.stopped:  # perhaps just now, by another thread
            branch.stop()
        try:
            yield branch
        finally:
            self._remote_branches.discard(branch)

    def health(self) -> schema.Health:
        """What the service says of itself just now."""
        return self._portal.call(self._line.ask_health)

    def slots(self) -> ServiceSlots:
        """As many as the service runs at a time."""
        return ServiceSlots(tuple(range(self._health.queue.jobs)))

    def run_task(self, task: Task, *, cpu: int | None = None) -> Report:
        """Runs a task at the service; see `Sandbox.run`. A service that is busy is asked again when it says.

        If the connection breaks, the task is sent again, since the service may restart or another take over. So a
        program may run more than once. That does no harm: it changes nothing outside its container, and only one
        report counts.

        Raises:
            UsageError: what is only on this machine was asked for, or more than the service allows.
            SandboxInternalError: the service failed.
            SandboxUnavailableError: it cannot be reached, stays busy, or has no such language.
        """
        if cpu is not None:
            raise UsageError("A sandbox service chooses the core itself; leave out `cpu`.")
        return self._await(self.start(request_of(task)))

    def run_many(self, tasks: Iterable[Task], *, jobs: int | None = None) -> Iterator[Report]:
        """The reports in the order of the tasks; see `Sandbox.run_many`.

        `jobs` is how many requests are under way at a time; the service decides how many of them run.
        """
        with self._crew(tasks, jobs) as (running, started):
            while running:
                report = self._await(running.popleft())
                running.extend(islice(started, 1))
                yield report

    async def run_many_async(self, tasks: Iterable[Task], *, jobs: int | None = None) -> AsyncIterator[Report]:
        """As `run_many`, in an event loop; cancelling the task that iterates kills what runs."""
        with self._crew(tasks, jobs) as (running, started):
            while running:
                report = await asyncio.wrap_future(running.popleft())
                running.extend(islice(started, 1))
                yield report

    @contextmanager
    def _crew(
        self, tasks: Iterable[Task], jobs: int | None
    ) -> Iterator[tuple[deque[Future[Report]], Iterator[Future[Report]]]]:
        """Requests under way, and those that start when they are asked for. Leaving hangs up on all of them."""
        if jobs is not None and jobs < 1:
            raise UsageError(f"jobs={jobs}: at least one task has to run at a time.")
        with self.branch() as branch:
            started = (branch.start(request_of(task)) for task in tasks)
            try:
                yield deque(islice(started, jobs or _DEFAULT_JOBS)), started
            finally:
                branch.stop()

    def start(self, request: schema.RunRequest) -> Future[Report]:
        """Sends a request; cancelling the future hangs up."""
        if self.stopped:
            raise CancelledError
        _check_limits(request.limits, self._health.most)
        future = self._portal.start_task_soon(self._line.ask_run, request)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        if self.stopped:  # just now, by another thread
            future.cancel()
        return future

    def _await(self, future: Future[Report]) -> Report:
        try:
            return future.result()
        except FutureCancelledError as error:
            raise CancelledError from error
        finally:
            future.cancel()  # an interrupt must leave nothing running


class _Line:
    """The connections to a service. For one event loop."""

    def __init__(self, url: str, client: httpx.AsyncClient) -> None:
        self._url = url
        self._client = client

    async def ask_health(self) -> schema.Health:
        return _understood(schema.Health, await self._ask("GET", "/health"), self._url)

    async def ask_run(self, request: schema.RunRequest) -> Report:
        body = request.model_dump_json(exclude_none=True).encode()
        # A service that hangs up on a long request does so again.
        response = await self._ask("POST", "/run", body, tries=_TRIES if len(body) <= _LONG_REQUEST_BYTES else 1)
        return report_of(_understood(schema.RunResponse, response, self._url).report)

    async def _ask(self, method: str, path: str, body: bytes | None = None, *, tries: int = 1) -> httpx.Response:
        """The answer of a service that is not busy; sent up to `tries` times if the connection breaks.

        Raises:
            AfterburnerError: the one that the service answered with.
        """
        headers = {"Content-Type": "application/json"} if body is not None else None
        patiently = AsyncRetrying(
            retry=retry_if_result(lambda answer: answer.status_code in _BUSY),
            wait=_as_told,
            stop=stop_after_delay(_PATIENCE_S),
            retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,  # the last answer
        )
        persistently = AsyncRetrying(
            retry=retry_if_exception_type(_BROKEN),
            wait=wait_exponential(max=_LONGEST_PAUSE_S),  # 1, 2, 4, 8 seconds
            stop=stop_after_attempt(tries),
            reraise=True,
        )
        try:
            response: httpx.Response = await persistently(
                patiently, self._client.request, method, path, content=body, headers=headers
            )
        except httpx.ConnectError as error:
            raise SandboxUnavailableError(
                f"No sandbox service answers at {self._url}: {error}. Start one there with "
                "`afterburner-agent sandbox serve`."
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            sent = len(body or b"")
            hint = f" It may take no request of {sent:,} bytes: see its --body." if sent > _LONG_REQUEST_BYTES else ""
            raise SandboxInternalError(
                f"The connection to the sandbox service at {self._url} failed: "
                f"{str(error) or type(error).__name__}.{hint}"
            ) from error
        if response.status_code != httpx.codes.OK:
            _raise(response, self._url)
        return response


def _as_told(state: RetryCallState) -> float:
    """How long the service asked us to wait, in seconds."""
    response = state.outcome.result() if state.outcome else None
    told = response.headers.get("Retry-After", "") if response is not None else ""
    return min(60.0, float(told)) if told.isdigit() else 1.0


def _understood(model: type[_Model], response: httpx.Response, url: str) -> _Model:
    try:
        return model.model_validate_json(response.content)
    except ValidationError as error:
        raise SandboxUnavailableError(
            f"What answers at {url} is not a sandbox service of this version. Check the address."
        ) from error


def _raise(response: httpx.Response, url: str) -> NoReturn:
    try:
        problem = schema.Problem.model_validate_json(response.content)
    except ValidationError as error:
        raise SandboxUnavailableError(
            f"What answers at {url} is not a sandbox service: HTTP {response.status_code}. Check the address."
        ) from error
    if response.status_code == httpx.codes.UNAUTHORIZED:
        raise UsageError(f"The sandbox service at {url} refuses the token. Set {BEARER_VARIABLE} to the right one.")
    if response.status_code in _BUSY:
        raise SandboxUnavailableError(f"The sandbox service at {url} stays busy: {problem.error}")
    kind: type[AfterburnerError] = schema.KINDS.get(problem.kind, UsageError)
    raise kind(f"The sandbox service at {url} says: {problem.error}")


def _check_limits(wanted: schema.LimitsModel, most: schema.AppliedLimits) -> None:
    """Refuses limits that the service would lower: the verdict would be another one."""
    for name, value in wanted.model_dump(exclude_none=True).items():
        if value > getattr(most, name):
            raise UsageError(f"The sandbox service allows {name} up to {getattr(most, name)}, not {value}.")


@dataclasses.dataclass(frozen=True, slots=True)
class _RemoteBackend:
    """Says what the service runs on; containers of one's own it does not lend."""

    health: schema.Health

    @property
    def name(self) -> str:
        return self.health.backend

    @property
    def tier(self) -> str:
        return self.health.tier

    @property
    def follows_caller(self) -> bool:
        return False

    @property
    def needs_images(self) -> bool:
        return False

    def toolchain(self, language: Language) -> Toolchain:
        raise _local_only(f"A toolchain for {language.name}")

    def python(self) -> PythonEnvironment | None:
        return None

    def container(self, spec: ContainerSpec) -> Container:
        raise _local_only(f"A container of {spec.writable_kib} KiB")

    def close(self) -> None:
        """Holds nothing."""


def _local_only(thing: str) -> UsageError:
    return UsageError(f"{thing} cannot be had from a sandbox service, which runs whole programs. Use a local sandbox.")
