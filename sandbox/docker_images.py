"""Images that are made here: of a project's folders, of its Dockerfile, of the packages that it asks for."""

from __future__ import annotations

import tarfile
import tempfile
import time
import uuid
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from docker.errors import APIError, BuildError, DockerException, NotFound
from requests.exceptions import RequestException

from afterburner.sandbox.archives import add_parents, add_tree
from afterburner.sandbox.cancel import current_token
from afterburner.sandbox.docker_daemon import short
from afterburner.sandbox.docker_progress import LONGEST_S, followed
from afterburner.sandbox.errors import SandboxInternalError, UsageError
from afterburner.sandbox.scrubbing import scrub_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    import docker

    from afterburner.sandbox.docker_daemon import DockerDaemon
    from afterburner.sandbox.types import Bind

    Say = Callable[[str], object]

_MEBIBYTE = 1 << 20
_INSTALLER_MEMORY_BYTES = 4 << 30  # a resolver needs some hundred MiB; a compiler more
_INSTALLER_PROCESSES = 1024
_INSTALLER_LOG = {"Type": "local", "Config": {"max-size": "16m", "max-file": "1", "compress": "false"}}
INSTALLER = "afterburner-installer-"  # how the names of their containers begin
_TIMED_OUT = 124  # as `timeout` says it
_PERCENT_TOLD = 5  # how often the progress of a download is told
_LINES_TOLD = 4  # of what a failed installation said last
_MOST_LINES = 2_000  # that anybody is told of one installation
# What pip needs as root in a folder of its own: to write where an image's own user may, and to hand files over.
_INSTALLER_MAY = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID")


def with_copies(daemon: DockerDaemon, image: str, binds: tuple[Bind, ...], labels: Mapping[str, str]) -> str:
    """An image with copies of folders and files in it, at the places where they would be bound; gives its id.

    What is read there comes from the daemon's own file system: where the daemon runs in a virtual machine, a bound
    folder is slow, and its slowness would count as the program's. Everybody may read the copies, and go to them.

    Raises:
        UsageError: they cannot be read, or the disk is full.
        SandboxInternalError: the daemon does not take them.
        CancelledError: see `afterburner.sandbox.cancel.cancellable`.
    """
    with tempfile.TemporaryFile() as file:
        try:
            with tarfile.open(fileobj=file, mode="w") as archive:
                add_parents(archive, [bind.destination for bind in binds])
                for bind in binds:
                    add_tree(archive, bind.source, bind.destination)
            file.seek(0)
        except OSError as error:
            raise UsageError(f"The project cannot be copied for its image: {error}.") from error
        with daemon.told("copy a project into an image", timeout_s=LONGEST_S) as client:
            settings = {"Image": image, "Cmd": ["-"], "Labels": dict(labels)}
            container: str = client.create_container_from_config(settings)["Id"]  # type: ignore[no-untyped-call]  # by the stubs
            with _removed(daemon, container):
                client.put_archive(container, "/", file)
                return _committed(client, container)


def has_path(daemon: DockerDaemon, image: str, path: str) -> bool:
    """Whether an image has something at a path.

    Raises:
        SandboxInternalError: the daemon does not tell.
    """
    with daemon.told("look into an image") as client:
        container: str = client.create_container_from_config({"Image": image, "Cmd": ["-"]})["Id"]  # type: ignore[no-untyped-call]  # by the stubs
        # On a connection of its own it need not read what it is sent.
        with _removed(daemon, container), daemon.own_client(LONGEST_S) as other:
            try:
                other.get_archive(container, path)
            except NotFound:
                return False
    return True


def pull_image(daemon: DockerDaemon, name: str, say: Say) -> None:
    """Get an image from its registry.

    Raises:
        UsageError: there is none by that name for the daemon's machine, or it may not be had.
        CancelledError: see `afterburner.sandbox.cancel.cancellable`.
    """
    sizes: dict[str, tuple[int, int]] = {}
    told_percent = 0
    try:
        for step in _steps(daemon, lambda client: client.pull(name, stream=True, decode=True)):
            progress = step.get("progressDetail") or {}
            if step.get("status") == "Downloading" and progress.get("total"):
                sizes[step.get("id", "")] = progress.get("current", 0), progress["total"]
                done, all_of_it = (sum(each) for each in zip(*sizes.values(), strict=True))
                if 100 * done // all_of_it >= told_percent + _PERCENT_TOLD:
                    told_percent = 100 * done // all_of_it
                    say(f"pulling {name}: {done // _MEBIBYTE} of {all_of_it // _MEBIBYTE} MiB")
    except (_FailedError, DockerException, RequestException, OSError) as error:
        raise UsageError(
            f"The image {name} cannot be pulled: {_reason(error)}. Check the name and the network, or get it yourself "
            f"(`docker pull {name}`)."
        ) from error


def build_image(
    daemon: DockerDaemon,
    context: Path,
    dockerfile: str,
    *,
    name: str,
    tag: str,
    arguments: Mapping[str, str],
    target: str | None,
    labels: Mapping[str, str],
    say: Say,
    network: str | None = None,
) -> str:
    """Build a Dockerfile with the daemon's own builder and its cache; gives the image's id.

    Args:
        daemon: that builds.
        context: an archive of the files that the Dockerfile may copy.
        dockerfile: its path in there.
        name: what a person calls it.
        tag: the image's name afterwards.
        arguments: for its `ARG`s.
        target: the stage to build; None: the last.
        labels: for the image.
        say: is told what the builder does.
        network: for what it runs; None: the daemon's default.

    Raises:
        UsageError: it cannot be built; the message has the builder's last lines.
        CancelledError: see `afterburner.sandbox.cancel.cancellable`.
    """
    lines: deque[str] = deque(maxlen=_LINES_TOLD)
    identity = ""
    told = _Told(say)

    def build(client: docker.APIClient) -> Iterator[Any]:
        steps: Iterator[Any] = client.build(
            fileobj=file,
            custom_context=True,
            dockerfile=dockerfile,
            tag=tag,
            buildargs=dict(arguments),
            target=target,
            labels=dict(labels),
            network_mode=network,
            rm=True,
            forcerm=True,
            use_config_proxy=False,  # the address of a proxy may hold a password
            decode=True,
        )
        return steps

    try:
        with context.open("rb") as file:
            for step in _steps(daemon, build):
                for line in str(step.get("stream", "")).splitlines():
                    if shown := _shown(line):
                        lines.append(shown)
                        told(shown)
                identity = (step.get("aux") or {}).get("ID", identity)
    except (_FailedError, BuildError, DockerException, RequestException, OSError) as error:
        raise UsageError(
            f"{name} cannot be built: {_reason(error)}.{_last(lines)}\n"
            "Build it yourself and name the image: `docker build -t NAME .`, then --environment-from NAME."
        ) from error
    return identity


def install_in_image(
    daemon: DockerDaemon,
    base: str,
    files: Path,
    script: str,
    *,
    tag: str,
    variables: Mapping[str, str],
    kept: Mapping[str, str],
    labels: Mapping[str, str],
    say: Say,
    network: str | None = None,
) -> str:
    """Run a shell script in a container of an image and keep what it made as another image; gives its id.

    What it installs is code of others that runs as root of the container, with a network: it gets nothing of this
    machine but `files` and `variables`, few capabilities, no new privileges, and bounds of time, memory and processes.

    Args:
        daemon: that runs it.
        base: the image to begin with.
        files: an archive that is unpacked at `/` before.
        script: for `sh -e`.
        tag: the new image's name.
        variables: the script's environment.
        kept: variables that the new image sets.
        labels: for the image.
        say: is told each line that it prints.
        network: see `DockerOptions.install_network`.

    Raises:
        UsageError: it fails, or takes more than an hour; the message has its last lines.
        SandboxInternalError: the daemon does not do its part, or is gone.
        CancelledError: see `afterburner.sandbox.cancel.cancellable`.
    """
    # The container stops even if this process is killed. Nearly every image that has a `sh` has `timeout`, too. The
    # script's environment comes as arguments: the container's own would become the image's. `timeout` is not started by
    # `exec`: since coreutils 9.10, one that is process 1 takes its child for an orphan, and ends with 125.
    bounded = """
        script=$1; shift
        if command -v timeout >/dev/null; then env "$@" timeout 3600 sh -e -c "$script"; exit; fi
        exec env "$@" sh -e -c "$script"
    """
    settings = {
        "Image": base,
        "Entrypoint": ["/bin/sh"],
        "Cmd": ["-c", bounded, "sh", script, *(f"{name}={value}" for name, value in variables.items())],
        "User": "0:0",
        "WorkingDir": "/",
        "Healthcheck": {"Test": ["NONE"]},
        "Labels": dict(labels),
        "HostConfig": {
            "CapDrop": ["ALL"],
            "CapAdd": list(_INSTALLER_MAY),
            "SecurityOpt": ["no-new-privileges"],
            "Memory": _INSTALLER_MEMORY_BYTES,
            "MemorySwap": _INSTALLER_MEMORY_BYTES,
            "PidsLimit": _INSTALLER_PROCESSES,
            "LogConfig": _INSTALLER_LOG,
            **({"NetworkMode": network} if network else {}),
        },
    }
    with daemon.told("install a project's packages", timeout_s=LONGEST_S) as client:
        name = f"{INSTALLER}{uuid.uuid4().hex}"
        container: str = client.create_container_from_config(settings, name)["Id"]  # type: ignore[no-untyped-call]  # by the stubs
        with _removed(daemon, container):
            with files.open("rb") as file:
                client.put_archive(container, "/", file)
            client.start(container)
            lines: deque[str] = deque(maxlen=_LINES_TOLD)
            told = _Told(say)
            for line in _whole_lines(_output(daemon, container)):
                lines.append(line)
                told(line)
            code = _ended(client, container)
            if code != 0:
                why = "it took longer than an hour" if code == _TIMED_OUT else f"exit code {code}"
                raise UsageError(f"the declared packages could not be installed ({why}).{_last(lines)}")
            return _committed(client, container, tag, kept)


def labelled_images(daemon: DockerDaemon, label: str) -> list[dict[str, Any]]:
    """The images that have a label, `NAME` or `NAME=VALUE`: `Id`, `Labels`, `Created` and `Size` (bytes) of each.

    Raises:
        SandboxInternalError: the daemon does not tell.
    """
    with daemon.told("list images") as client:
        found: list[dict[str, Any]] = client.images(filters={"label": label})
    return found


def abandoned_installers(daemon: DockerDaemon) -> list[str]:
    """The containers of installers whose owners were killed, by their ids: they have stopped by themselves since.

    Raises:
        SandboxInternalError: the daemon does not tell.
    """
    with daemon.told("list containers") as client:
        found = client.containers(all=True, filters={"name": f"^/{INSTALLER}"})
    return [each["Id"] for each in found if time.time() - each["Created"] > 2 * LONGEST_S]


def remove_image(daemon: DockerDaemon, name: str) -> None:
    """Remove an image, by id or tag, and no other that it stands on; it may be gone already.

    One that another image stands on, or a container uses, loses its name and stays.

    Raises:
        SandboxInternalError: the daemon cannot.
    """
    with daemon.told("remove an image") as client, suppress(NotFound):
        client.remove_image(name, force=True, noprune=True)


class _FailedError(Exception):
    """What the daemon told in the middle of its answer."""


class _Told:
    """Passes lines on, but not without end."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._number = 0

    def __call__(self, line: str) -> None:
        self._number += 1
        if self._number <= _MOST_LINES:
            self._say(line)


def _committed(client: docker.APIClient, container: str, tag: str = "", kept: Mapping[str, str] | None = None) -> str:
    """The container's files as an image, with its labels."""
    repository, _, version = tag.partition(":")
    settings = {"Env": [f"{name}={value}" for name, value in (kept or {}).items()]}
    identity: str = client.commit(container, repository or None, version or None, conf=settings)["Id"]
    return identity


def _ended(client: docker.APIClient, container: str) -> int:
    """The exit code. A cancelled installation's container is gone by now."""
    try:
        code: int = client.wait(container)["StatusCode"]
    except NotFound:
        current_token().raise_if_cancelled()
        raise
    return code


@contextmanager
def _removed(daemon: DockerDaemon, container: str) -> Iterator[None]:
    """The container is gone after the block, and at once if the work is cancelled."""

    def remove() -> None:
        with suppress(SandboxInternalError):
            daemon.remove(container)

    token = current_token()
    with token.on_cancel(remove):
        try:
            yield
        except (DockerException, RequestException):
            token.raise_if_cancelled()  # what failed then is that the container was gone
            raise
        finally:
            remove()


def _steps(daemon: DockerDaemon, ask: Callable[[docker.APIClient], Iterator[Any]]) -> Iterator[dict[str, Any]]:
    """What the daemon tells while it does something that takes long."""
    for step in followed(daemon, ask):
        if step.get("error"):
            raise _FailedError(str(step["error"]))
        yield step


def _output(daemon: DockerDaemon, container: str) -> Iterator[bytes]:
    """What a container prints, until it ends."""
    return followed(daemon, lambda client: client.logs(container, stdout=True, stderr=True, stream=True, follow=True))


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[str]:
    """Lines as they may be shown, without empty ones."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).splitlines(keepends=True) or [b""]
        if rest.endswith((b"\n", b"\r")) or len(rest) > _MEBIBYTE:
            lines, rest = [*lines, rest], b""
        for line in lines:
            if shown := _shown(line.decode("utf-8", "replace")):
                yield shown
    if shown := _shown(rest.decode("utf-8", "replace")):
        yield shown


def _shown(line: str) -> str:
    return scrub_bytes(line.strip().encode("utf-8", "replace"), 500)


def _last(lines: Iterable[str]) -> str:
    return "".join(f"\n  {line}" for line in lines)


def _reason(error: Exception) -> str:
    said = short(error) if isinstance(error, APIError) else str(error)
    return _shown((said.splitlines() or [type(error).__name__])[0]).rstrip(".")
