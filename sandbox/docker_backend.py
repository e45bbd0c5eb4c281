"""Containers by Docker: the same verdicts as under bubblewrap, wherever a Docker daemon is, from any image."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.cancel import raise_if_cancelled
from afterburner.sandbox.container import Container
from afterburner.sandbox.container_paths import HOME, WRITABLE
from afterburner.sandbox.docker_daemon import DockerDaemon
from afterburner.sandbox.docker_images import has_path, labelled_images, remove_image, with_copies
from afterburner.sandbox.docker_pool import DockerPool, Started
from afterburner.sandbox.docker_root import check_openness, open_up, provide_root, system_binds
from afterburner.sandbox.docker_settings import Choices, DockerOptions, container_settings
from afterburner.sandbox.errors import SandboxInternalError, UsageError
from afterburner.sandbox.inside import bind_driver
from afterburner.sandbox.toolchains import Toolchain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import ExitStack

    from afterburner.sandbox.docker_channel import DockerChannel
    from afterburner.sandbox.languages import Language
    from afterburner.sandbox.types import Bind, ContainerSpec, Limits

__all__ = ["DockerBackend", "DockerContainer", "DockerOptions"]

WORKSPACE_LABEL = "afterburner.sandbox"  # of containers, and of images with copies in them
_MACHINE_LABEL = "afterburner.sandbox.machine"
_NEVER_STARTED_S = 3600.0
_LONGEST_SESSION_S = 7 * 86_400.0
_LOOK_S = 0.2  # how often a wait looks whether it was cancelled
_SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_TIERS = {0: "rlimits", 1: "cgroup v1", 2: "cgroup v2"}


class DockerBackend:
    """Starts containers with a Docker daemon; a `Backend`.

    Containers that killed processes of ours left behind are removed at the start. They end by themselves as soon as
    their owner is gone, so that these are only those that were never started.

    Raises:
        SandboxUnavailableError: no daemon answers; the message says what to do.
    """

    follows_caller = False  # the daemon starts them

    def __init__(self, options: DockerOptions, meter: Path, workspace: Path) -> None:
        self._options = options
        self._workspace = workspace
        self.daemon = DockerDaemon(options.address)
        self.install_network = options.install_network
        self._engine = self.daemon.engine
        self.name = self._engine.name + (f" with {options.runtime}" if options.runtime else "")
        labels = {WORKSPACE_LABEL: str(workspace), _MACHINE_LABEL: _machine()}
        self._choices = Choices(self._shared(meter), labels, options.runtime, options.cpuset)
        self._volumes: dict[str, tuple[str, ...]] = {}
        self._copies: dict[tuple[str, tuple[Bind, ...]], str] = {}
        self._has_path: dict[tuple[str, str], bool] = {}
        self._copying = threading.Lock()
        self._shown: set[Path] = set()
        self._closed = False
        self._pool = DockerPool(self._start, self._end, options.pool_size)
        self._sweep()

    @property
    def tier(self) -> str:
        """The daemon's control groups, or `rlimits`."""
        return _TIERS[self._engine.cgroup]

    @property
    def needs_images(self) -> bool:
        """Whether the daemon runs elsewhere, such as in a virtual machine."""
        return not self._engine.is_here

    def toolchain(self, language: Language) -> Toolchain:
        """What is in the image for a language, with the environment that the image gives it.

        Raises:
            ToolchainMissingError: the daemon does not have the image; the message says how to get it.
            SandboxUnavailableError: it cannot be pulled.
        """
        image = self._options.images.get(language.name, language.image)
        if self._options.pull and not self.daemon.has_image(image):
            self.daemon.pull(image)
        found = self.daemon.image(image)
        variables = dict(line.partition("=")[::2] for line in found["Config"].get("Env") or ())
        driver = (bind_driver(),) if language.name == "python" else ()
        return Toolchain(
            language.name,
            version=f"{image} ({found['Id'].removeprefix('sha256:')[:12]})",
            path=variables.pop("PATH", _SEARCH_PATH),
            environment={**variables, **language.environment},
            image=image,
            binds=driver,
        )

    def python(self) -> None:
        """None: a program that brings no interpreter runs under the image's."""

    def container(self, spec: ContainerSpec) -> DockerContainer:
        """A container, to be entered.

        Raises:
            UsageError: it would have to show this machine's files, and the daemon is elsewhere, or others than their
                owner may not read them.
        """
        if spec.image is None and not self._engine.is_here:
            raise UsageError(
                "A program of a project runs under the project's own interpreter, which a Docker daemon on another "
                "machine, or in a virtual machine, does not see. Use --environment image, the backend 'bubblewrap', or "
                "a daemon that runs right here, on Linux."
            )
        self._show(spec)
        return DockerContainer(spec, self._pool, self.daemon, self._workspace, self.tier)

    def close(self) -> None:
        """Ends everything that is kept ready, and waits until nothing is left."""
        if self._closed:
            return
        self._closed = True
        self._pool.close()
        with suppress(SandboxInternalError):  # the daemon is gone, and its containers have lost their lines
            for container in self.daemon.labelled(f"{WORKSPACE_LABEL}={self._workspace}"):
                self.daemon.remove(container["Id"])
            for image in labelled_images(self.daemon, f"{WORKSPACE_LABEL}={self._workspace}"):
                with suppress(SandboxInternalError):
                    remove_image(self.daemon, image["Id"])
        self.daemon.close()

    @cached_property
    def _root(self) -> str:
        return provide_root(self.daemon)

    def _start(self, spec: ContainerSpec) -> Started:
        if spec.image is None:
            spec = replace(spec, image=self._root, binds=(*system_binds(), *spec.binds))
        else:
            spec = self._holding_copies(spec, spec.image)
        volumes = self._volumes_of(spec.image or "")
        folder = tempfile.TemporaryDirectory(prefix="container-", dir=self._workspace)
        try:
            Path(folder.name).chmod(0o755)
            settings = container_settings(spec, volumes, Path(folder.name), self._engine, self._choices)
            return Started(*self.daemon.start(settings), folder)
        except BaseException:
            folder.cleanup()
            raise

    def _holding_copies(self, spec: ContainerSpec, image: str) -> ContainerSpec:
        """The container with copies of a project's folders in its image: what is timed lies in its own file system.

        Where the daemon is elsewhere, so does all that is not a file of the workspace: only some folders are shared
        with a virtual machine. What the image covers with something empty, or has already, is bound instead.
        """
        chosen = tuple(bind for bind in spec.binds if self._is_copied(bind) and not self._is_taken(image, bind))
        has_project = any(self._is_ours(bind) for bind in chosen)
        if not chosen or (self._engine.is_here and not has_project):
            return spec
        with self._alone():
            found = self._copies.get((image, chosen))
            if found is None:
                self._forget_copies()
                found = self._copies[image, chosen] = with_copies(self.daemon, image, chosen, self._choices.labels)
        rest = tuple(bind for bind in spec.binds if bind not in chosen)
        return replace(spec, image=found, binds=rest)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody else copies meanwhile.

        Raises:
            CancelledError: it was cancelled while it waited.
        """
        while not self._copying.acquire(timeout=_LOOK_S):
            raise_if_cancelled()
        try:
            yield
        finally:
            self._copying.release()

    def _is_ours(self, bind: Bind) -> bool:
        return Path(bind.source).is_relative_to(self._workspace)

    def _is_copied(self, bind: Bind) -> bool:
        return Path(bind.source).is_dir() or not (self._engine.is_here or self._is_ours(bind))

    def _is_taken(self, image: str, bind: Bind) -> bool:
        """Whether a copy would not be seen in the image, or be mixed with what is there."""
        covers = (*WRITABLE, *self._volumes_of(image))
        if any(Path(bind.destination).is_relative_to(folder) for folder in covers):
            return True
        if bind.destination.startswith(HOME):
            return False
        key = image, bind.destination
        if key not in self._has_path:
            self._has_path[key] = has_path(self.daemon, image, bind.destination)
        return self._has_path[key]

    def _forget_copies(self) -> None:
        """Removes the images whose folders are gone here: nobody will ask for them again."""
        for image, binds in [*self._copies]:
            if not all(Path(bind.source).exists() for bind in binds):
                with suppress(SandboxInternalError):  # a container of it is just ending; the next time, then
                    remove_image(self.daemon, self._copies[image, binds])
                    del self._copies[image, binds]

    def _shared(self, meter: Path) -> Path:
        """The meter where a virtual machine sees it: there only some folders of this machine are shared."""
        return meter if self._engine.is_here else Path(shutil.copy(meter, self._workspace / "meter"))

    def _volumes_of(self, image: str) -> tuple[str, ...]:
        if image not in self._volumes:
            self._volumes[image] = tuple(self.daemon.image(image)["Config"].get("Volumes") or ())
        return self._volumes[image]

    def _end(self, started: Started) -> None:
        try:
            started.channel.close()
            self.daemon.remove(started.identity)
        finally:
            started.folder.cleanup()

    def _show(self, spec: ContainerSpec) -> None:
        """Sees to it that a program can read what is bound: in the container it is somebody else.

        Our own copies are opened to everybody, as they lie in a folder that nobody else can enter.

        Raises:
            UsageError: something of the user's cannot be read by others.
        """
        for path in {Path(bind.source) for bind in spec.binds} - self._shown:
            if path.is_relative_to(self._workspace):
                open_up(path)
            else:
                check_openness(path)
            if path.is_dir():
                self._shown.add(path)

    def _sweep(self) -> None:
        """Removes containers of processes that are gone: their workspace is, since somebody opened another."""
        try:
            for container in self.daemon.labelled(WORKSPACE_LABEL):
                labels = container["Labels"]
                if labels.get(_MACHINE_LABEL) == _machine():
                    is_left = _is_gone(Path(labels[WORKSPACE_LABEL]))
                else:  # another machine's, or this one's before it was started anew
                    is_left = container["State"] == "created" and time.time() - container["Created"] > _NEVER_STARTED_S
                if is_left:
                    self.daemon.remove(container["Id"])
            for image in labelled_images(self.daemon, WORKSPACE_LABEL):
                labels = image["Labels"]
                if labels.get(_MACHINE_LABEL) == _machine():
                    is_left = _is_gone(Path(labels[WORKSPACE_LABEL]))
                else:
                    is_left = time.time() - image["Created"] > _LONGEST_SESSION_S
                if is_left:
                    with suppress(SandboxInternalError):  # another one's container still uses it
                        remove_image(self.daemon, image["Id"])
        except BaseException:
            self.daemon.close()
            raise


class DockerContainer(Container):
    """One container of the pool, from now on this task's alone."""

    def __init__(self, spec: ContainerSpec, pool: DockerPool, daemon: DockerDaemon, workspace: Path, tier: str) -> None:
        super().__init__(workspace, tier)
        self._spec = spec
        self._pool = pool
        self._daemon = daemon
        self._workspace = workspace
        self._started: Started | None = None
        self._run_began = 0.0

    def start(self, stack: ExitStack) -> DockerChannel:
        """Takes a container from the pool, and leaves its end to the stack."""
        # What is bound from the workspace is this task's alone; another one will not ask for it.
        keep_ready = not any(Path(bind.source).is_relative_to(self._workspace) for bind in self._spec.binds)
        started = self._pool.take(self._spec, keep_ready=keep_ready)
        stack.callback(self._pool.give_back, started)
        self.folder = Path(started.folder.name)
        self._started = started
        return started.channel

    def prepare(self, _limits: Limits, _stdin_bytes: int) -> None:
        """Notes when the run begins, for what the daemon tells of it later. Limits it has had from its start."""
        self._run_began = time.time()

    def killed_for_memory(self) -> bool:
        """Whether the kernel did that, perhaps to the meter, which is in the container's group, too."""
        with suppress(SandboxInternalError):
            return self._started is not None and self._daemon.ran_out_of_memory(
                self._started.identity, since_s=self._run_began
            )
        return False

    def told(self) -> str:
        """What the meter said on its stderr."""
        said = "" if self._started is None else self._started.channel.complaints.decode(errors="replace").strip()
        return f"It said: {said}" if said else "It said nothing; was the Docker daemon stopped?"


def _is_gone(workspace: Path) -> bool:
    """Whether nothing is there any more. Another user's, which we may not look at, is there as far as we know."""
    try:
        workspace.stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def _machine() -> str:
    """Tells where a path means the same: this boot of this machine, and this process's view of its files."""
    marks = [socket.gethostname()]
    with suppress(OSError):
        marks.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip())
        marks.append(str(Path("/proc/self/ns/mnt").readlink()))
    return " ".join(marks)
