"""A conversation with a Docker daemon, through the `docker` SDK; every failure comes out in our own words."""

from __future__ import annotations

import os
import platform
import socket
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from afterburner.sandbox.docker_channel import DockerChannel
from afterburner.sandbox.docker_settings import Engine
from afterburner.sandbox.errors import SandboxInternalError, SandboxUnavailableError, ToolchainMissingError
from afterburner.sandbox.extras import install_command

try:
    import docker
    from docker.errors import APIError, DockerException, ImageNotFound, NotFound
    from requests.exceptions import RequestException
except ImportError as error:
    raise SandboxUnavailableError(
        f"The Docker backend needs the `docker` package. Install it: {install_command('docker')}"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TIMEOUT_S = 60  # for one answer; a busy daemon takes seconds
_PULL_TIMEOUT_S = 1800
_SOCKET = "unix:///var/run/docker.sock"
_CONFLICT = 409
_BAD_REQUEST = 400


class DockerDaemon:
    """The daemon at an address; several threads may use it at once.

    Args:
        address: `unix:///…` or `tcp://…`; None: `DOCKER_HOST`, or the system's socket.

    Raises:
        SandboxUnavailableError: it does not answer, or cannot serve; the message says what to do.
    """

    def __init__(self, address: str | None = None) -> None:
        self.address = address or os.environ.get("DOCKER_HOST") or _SOCKET
        self._idle: list[docker.APIClient] = []
        if not self.address.startswith(("unix://", "tcp://", "http://")):
            raise SandboxUnavailableError(
                f"The Docker backend speaks with a daemon of this machine, over unix:// or tcp://, not {self.address}. "
                "Set DOCKER_HOST."
            )
        try:
            with self.client("auto") as client:
                self._version = client.api_version
                self.engine = _engine(client.info(), client.api_version)
        except (DockerException, RequestException, OSError) as error:
            self.close()
            raise SandboxUnavailableError(_why_not(self.address, error)) from error
        except SandboxUnavailableError:
            self.close()
            raise

    def close(self) -> None:
        """Closes the connections."""
        while self._idle:
            self._idle.pop().close()

    def image(self, name: str) -> dict[str, Any]:
        """What an image says of itself: `Id` and `Config`, among others.

        Raises:
            ToolchainMissingError: the daemon does not have it; the message says how to get it.
        """
        with self.told(f"look for the image {name}") as client:
            try:
                found: dict[str, Any] = client.inspect_image(name)  # type: ignore[no-untyped-call]  # by the stubs
            except ImageNotFound:
                raise ToolchainMissingError(_missing(name)) from None
        return found

    def has_image(self, name: str) -> bool:
        """Whether the daemon has an image by this name."""
        with suppress(SandboxUnavailableError):
            return bool(self.image(name))
        return False

    def pull(self, name: str) -> None:
        """Gets an image from its registry, which takes minutes.

        Raises:
            SandboxUnavailableError: that failed.
        """
        repository, tag = split_name(name)
        try:
            with self.client(timeout_s=_PULL_TIMEOUT_S) as client:
                client.pull(repository, tag=tag)
        except (DockerException, RequestException, OSError) as error:
            raise SandboxUnavailableError(f"The image {name} cannot be pulled: {short(error)}") from error

    def add_image(self, name: str, archive: Path) -> None:
        """Makes an image whose files are those of a tar archive."""
        repository, tag = split_name(name)
        with self.told(f"make the image {name}") as client:
            client.import_image_from_file(str(archive), repository=repository, tag=tag)

    def start(self, settings: dict[str, Any]) -> tuple[str, DockerChannel]:
        """A container that runs, by its id, and the line to its process 1.

        Raises:
            ToolchainMissingError: the daemon does not have the image.
            SandboxUnavailableError: it does not see this machine's files.
            SandboxInternalError: it does not start.
        """
        with self.told("start a container") as client:
            try:
                identity: str = client.create_container_from_config(settings)["Id"]  # type: ignore[no-untyped-call]  # likewise
            except ImageNotFound:
                raise ToolchainMissingError(_missing(settings["Image"])) from None
            except APIError as error:
                if error.status_code == _BAD_REQUEST and "bind source path does not exist" in str(error):
                    raise SandboxUnavailableError(
                        f"The Docker daemon at {self.address} does not see the files of this machine "
                        f"({short(error)}). Use a daemon that runs here, or one that shares this folder."
                    ) from error
                raise
            try:
                channel = _attach(client, identity)
                try:
                    client.start(identity)
                except BaseException:
                    channel.close()
                    raise
            except BaseException:
                with suppress(DockerException, RequestException):
                    client.remove_container(identity, force=True)
                raise
        return identity, channel

    def remove(self, identity: str) -> None:
        """Kills a container, and waits until it is gone; it may be already.

        Raises:
            SandboxInternalError: the daemon cannot.
        """
        with self.told("remove a container") as client:
            try:
                client.remove_container(identity, force=True, v=True)
            except NotFound:
                return
            except APIError as error:
                if error.status_code != _CONFLICT:  # it is being removed just now
                    raise
                with suppress(NotFound):
                    client.wait(identity, condition="removed")

    def ran_out_of_memory(self, identity: str, *, since_s: float) -> bool:
        """Whether the kernel has killed anything in a container for its memory since then; it may be gone.

        The daemon hears of that a little later than of the end, so this listens until its next full second.

        Raises:
            SandboxInternalError: the daemon does not tell.
        """
        filters = {"container": identity, "event": "oom"}
        with self.told("tell what became of a container") as client:
            told = client.events(since=int(since_s), until=int(time.time()) + 1, filters=filters, decode=True)
            return bool(list(told))

    def labelled(self, label: str) -> list[dict[str, Any]]:
        """The containers that have a label, running or not: `Id`, `Labels`, `State` and `Created` of each."""
        with self.told("list containers") as client:
            found: list[dict[str, Any]] = client.containers(all=True, filters={"label": label})
        return found

    @contextmanager
    def client(self, version: str | None = None, timeout_s: float = _TIMEOUT_S) -> Iterator[docker.APIClient]:
        """A connection that nobody else uses meanwhile, with the daemon's own version of the API by default."""
        _knock(self.address)
        try:
            client = self._idle.pop()
        except IndexError:
            client = docker.APIClient(base_url=self.address, version=version or self._version)
        client.timeout = timeout_s  # type: ignore[assignment]  # requests takes parts of a second, too
        try:
            yield client
        except BaseException:
            client.close()  # who knows what it has been left in
            raise
        self._idle.append(client)

    @contextmanager
    def own_client(self, timeout_s: float) -> Iterator[docker.APIClient]:
        """A connection that is closed afterwards: its answer may be left in the middle."""
        _knock(self.address)
        client = docker.APIClient(base_url=self.address, version=self._version)
        client.timeout = timeout_s  # type: ignore[assignment]  # requests takes parts of a second, too
        try:
            yield client
        finally:
            client.close()

    @contextmanager
    def told(self, what: str, timeout_s: float = _TIMEOUT_S) -> Iterator[docker.APIClient]:
        """A client whose failures are told as ours: the daemon could not do `what`.

        Raises:
            SandboxInternalError: it could not, or does not answer any more.
        """
        try:
            with self.client(timeout_s=timeout_s) as client:
                yield client
        except APIError as error:
            raise SandboxInternalError(f"The Docker daemon could not {what}: {short(error)}") from error
        except (DockerException, RequestException, OSError) as error:
            raise SandboxInternalError(
                f"The Docker daemon at {self.address} does not answer any more: {short(error)}"
            ) from error


def _attach(client: docker.APIClient, identity: str) -> DockerChannel:
    """The connection itself, taken from the SDK, which is then through with it."""
    params = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
    stream = client.attach_socket(identity, params=params)
    connection: socket.socket = stream._sock  # noqa: SLF001 - the SDK's users do so; it would be closed too late otherwise
    try:
        return DockerChannel(connection.dup())
    finally:
        stream.close()
        connection.close()


def _engine(info: dict[str, Any], api: str) -> Engine:
    if info.get("OSType") != "linux":
        raise SandboxUnavailableError("The Docker daemon runs Windows containers. Switch it to Linux containers.")
    limits = bool(info.get("MemoryLimit")) and bool(info.get("PidsLimit"))
    same_machine = info.get("Name") == socket.gethostname() and info.get("KernelVersion") == platform.release()
    is_here = sys.platform == "linux" and same_machine
    return Engine(
        name=f"Docker {info.get('ServerVersion', '')}".strip() + ("" if is_here else f" {_where(info)}"),
        api=tuple(int(part) for part in api.split(".")),
        cgroup=int(info.get("CgroupVersion", 1)) if limits else 0,
        is_here=is_here,
        machine=str(info.get("Architecture", "")),
    )


def _where(info: dict[str, Any]) -> str:
    """Where a daemon runs that is not under our kernel. The clocks of a virtual machine are its own."""
    is_virtual = sys.platform != "linux" or "Desktop" in str(info.get("OperatingSystem"))
    return "in a virtual machine" if is_virtual else "on another machine"


def split_name(name: str) -> tuple[str, str]:
    """A repository and a tag, `latest` if an image's name has none."""
    repository, colon, tag = name.rpartition(":")
    return (repository, tag) if colon and "/" not in tag else (name, "latest")


def _missing(name: str) -> str:
    return f"The Docker daemon does not have the image {name}. Get it: `docker pull {name}`."


def short(error: Exception) -> str:
    """The first line of the daemon's own explanation, if it gave one."""
    explanation = getattr(error, "explanation", None)
    return (str(explanation or error).strip().splitlines() or [type(error).__name__])[0][:500]


def _knock(address: str) -> None:
    """Raises what the SDK would, which forgets to close its own socket when nobody answers."""
    if address.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_TIMEOUT_S)
            line.connect(address.removeprefix("unix://"))


def _why_not(address: str, error: Exception) -> str:
    path = address.removeprefix("unix://")
    if address.startswith("unix://") and os.access(path, os.F_OK) and not os.access(path, os.R_OK | os.W_OK):
        return (
            f"You may not use the Docker daemon at {address}. As root: `usermod -aG docker $USER`, then log in again; "
            "or run a rootless daemon, and set DOCKER_HOST."
        )
    return (
        f"No Docker daemon answers at {address} ({short(error)}). Install and start one: "
        "https://docs.docker.com/engine/install/ (Debian, Ubuntu: `apt-get install docker.io`, then "
        "`systemctl start docker`; macOS: Docker Desktop), or set DOCKER_HOST."
    )
