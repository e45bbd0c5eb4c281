"""Opens a sandbox: by bubblewrap, by Docker, or of a service."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from afterburner.sandbox.bubblewrap import BubblewrapBackend
from afterburner.sandbox.docker_settings import DockerOptions
from afterburner.sandbox.errors import SandboxUnavailableError, UsageError
from afterburner.sandbox.extras import install_command
from afterburner.sandbox.leftovers import workspace
from afterburner.sandbox.meter_build import meter_path
from afterburner.sandbox.preflight import find_bubblewrap
from afterburner.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from afterburner.sandbox.preflight import Bubblewrap


def open_sandbox(backend: str = "auto", *, docker: DockerOptions | None = None) -> AbstractContextManager[Sandbox]:
    """A sandbox, ready to run programs until the context is left.

    Args:
        backend: `bubblewrap`, `docker`, the address of a service (`http://…`, `https://…`), or `auto`, which is
            bubblewrap, and Docker where bubblewrap does not work.
        docker: images and settings for Docker.

    Raises:
        UsageError: no such backend.
        SandboxUnavailableError: this machine has no real sandbox; the message says how to get one.
    """
    if backend.startswith(("http://", "https://")):
        return _open_remote(backend)
    if backend == "docker":
        return _open_docker(docker)
    if backend == "bubblewrap":
        return _open_bubblewrap(find_bubblewrap())
    if backend != "auto":
        raise UsageError(
            f"There is no sandbox backend {backend!r}. Use 'auto', 'bubblewrap', 'docker' or the address of a service."
        )
    try:
        return _open_bubblewrap(find_bubblewrap())
    except SandboxUnavailableError as error:
        return _open_docker_instead(docker, error)


@contextmanager
def _open_bubblewrap(found: Bubblewrap) -> Iterator[Sandbox]:
    meter = meter_path()
    with workspace() as folder:
        yield Sandbox(BubblewrapBackend(found, meter, folder), folder)


@contextmanager
def _open_docker(options: DockerOptions | None) -> Iterator[Sandbox]:
    from afterburner.sandbox.docker_backend import DockerBackend

    meter = meter_path()
    with workspace() as folder:
        backend = DockerBackend(options or DockerOptions(), meter, folder)
        try:
            yield Sandbox(backend, folder)
        finally:
            backend.close()


@contextmanager
def _open_docker_instead(options: DockerOptions | None, reason: SandboxUnavailableError) -> Iterator[Sandbox]:
    with ExitStack() as stack:
        try:
            sandbox = stack.enter_context(_open_docker(options))
        except SandboxUnavailableError as error:
            raise SandboxUnavailableError(f"{reason}\nDocker would do, too: {error}") from error
        yield sandbox


@contextmanager
def _open_remote(url: str) -> Iterator[Sandbox]:
    try:
        from afterburner.sandbox.remote import open_remote
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError(
            f"The client of a sandbox service needs {error.name}. Install it: {install_command('service')}"
        ) from error
    with open_remote(url) as sandbox:
        yield sandbox
