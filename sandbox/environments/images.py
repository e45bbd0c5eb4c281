"""Makes the image of a project's environment, once, and finds, lists and removes those that were made."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tarfile
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.sandbox.archives import add_bytes, add_file
from afterburner.sandbox.cancel import current_token
from afterburner.sandbox.docker_images import (
    abandoned_installers,
    build_image,
    install_in_image,
    labelled_images,
    pull_image,
    remove_image,
)
from afterburner.sandbox.environments.declaration import Dockerfile
from afterburner.sandbox.environments.declared import package_sources, trusted_certificates
from afterburner.sandbox.environments.recipes import CERTIFICATES, ENVIRONMENT, PROJECT
from afterburner.sandbox.errors import SandboxInternalError, ToolchainMissingError, UsageError
from afterburner.sandbox.folders import cache_folder
from afterburner.sandbox.project import list_project, why_left_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.sandbox.docker_daemon import DockerDaemon
    from afterburner.sandbox.environments.declaration import Declaration, Recipe

    Say = Callable[[str], object]

LABEL = "afterburner.environment"  # of each image that is made here; its value is the key
_PROJECT_LABEL = f"{LABEL}.project"
_DECLARED_LABEL = f"{LABEL}.declared"
_FORM = 1  # a new number makes everybody's images anew
_SHORT = 12  # characters of a key that make a name
_REPOSITORY = "afterburner-environment"  # of their tags
_DOCKERFILE = ".afterburner.Dockerfile"  # in a context that it does not lie in
_IGNORE_FILE = ".dockerignore"
_LOOK_S = 0.2  # how often a wait for another process looks whether it was cancelled
_SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}  # Docker's words, and the kernel's


@dataclass(frozen=True, slots=True)
class EnvironmentImage:
    """An image that was made for a project.

    Attributes:
        name: what it is removed by.
        project: the folder that it was made for.
        declared: what it was made of.
        created: in seconds since 1970.
        size_bytes: of all its layers; those of its base may be shared with other images.
    """

    name: str
    project: str
    declared: str
    created: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ImageMaker:
    """Makes the image of one project.

    Attributes:
        daemon: that has it afterwards.
        root: the project.
        network: see `DockerOptions.install_network`.
        say: is told what goes on, in lines for a person.
    """

    daemon: DockerDaemon
    root: Path
    network: str | None
    say: Say

    def provide(self, declaration: Declaration, check: Callable[[str], object] = lambda _: None) -> str:
        """The id of the image that a declaration comes to; it is made now if the daemon does not have it.

        Args:
            declaration: from `read_declaration`.
            check: is called with the base's id before anything is installed into it.

        Raises:
            UsageError: the base cannot be pulled, is for another machine, or something cannot be built or installed.
            SandboxInternalError: the daemon is gone.
            CancelledError: see `afterburner.sandbox.cancel.cancellable`.
        """
        base = self._base(declaration.base)
        check(base)
        recipe = declaration.recipe
        if recipe is None:
            return base
        try:
            key = _key(base, recipe)
        except OSError as error:
            raise UsageError(f"What {self.root} declares cannot be read: {error}.") from error
        name = f"{_REPOSITORY}:{key[:_SHORT]}"
        with _only_one(key):
            if self.daemon.has_image(name):
                return str(self.daemon.image(name)["Id"])
            for container in abandoned_installers(self.daemon):
                self.daemon.remove(container)
            self.say(f"making an image from {declaration.summary}; later runs reuse it")
            labels = {LABEL: key, _PROJECT_LABEL: str(self.root), _DECLARED_LABEL: declaration.summary}
            try:
                return self._install(recipe, base, name, labels)
            except UsageError as error:
                raise UsageError(
                    f"{self.root}: {error}\nFix the declaration ({declaration.summary}), or use --environment-from to "
                    "name an image or a Dockerfile that has all packages."
                ) from error

    def _install(self, recipe: Recipe, base: str, name: str, labels: dict[str, str]) -> str:
        variables, notes = package_sources(os.environ)
        certificates, named, more = trusted_certificates(os.environ)
        for note in (*recipe.notes, *notes, *more):
            self.say(note)
        path = variables_of(self.daemon, base).get("PATH", _SEARCH_PATH)
        with _archive(self.root, recipe, certificates) as files:
            return install_in_image(
                self.daemon,
                base,
                files,
                recipe.script,
                tag=name,
                variables={**variables, **named, "HOME": "/root", "PATH": path},
                kept={"PATH": f"{ENVIRONMENT}/bin:{path}"},
                labels=labels,
                say=self.say,
                network=self.network,
            )

    def _base(self, base: str | Dockerfile) -> str:
        """The id of the image to begin with."""
        if isinstance(base, Dockerfile):
            identity, name = self._build(base), base.path
        else:
            if not self.daemon.has_image(base):
                self.say(f"pulling {base}")
                pull_image(self.daemon, base, self.say)
            identity, name = base, base
        try:
            found = self.daemon.image(identity)
        except ToolchainMissingError as error:
            raise UsageError(f"The Docker daemon does not have the image {name}: {error}") from error
        machine = _MACHINES.get(found.get("Architecture", ""), found.get("Architecture", ""))
        here = self.daemon.engine.machine
        if machine and here and machine != here:
            raise UsageError(
                f"The image {name} is for {machine}, and the Docker daemon runs on {here}. Name one for {here} with "
                "--environment-from; `docker pull --platform` gets it where there is one."
            )
        return str(found["Id"])

    def _build(self, dockerfile: Dockerfile) -> str:
        """The daemon's builder knows best what can be taken from its cache, so it is asked each time."""
        self.say(f"building {dockerfile.path}")
        sources, notes = package_sources(os.environ)
        for note in notes:
            self.say(note)
        context, place = (Path(os.path.normpath(self.root / each)) for each in (dockerfile.context, dockerfile.path))
        for each in (context, place):
            if not _is_plainly_in(self.root, each):
                raise UsageError(
                    f"{each}: a Dockerfile and its build context must be inside {self.root} and not behind a "
                    "symbolic link."
                )
        key = hashlib.sha256(f"{_FORM}\0{self.root}\0{dockerfile}".encode()).hexdigest()
        name = f"{_REPOSITORY}:{key[:_SHORT]}"
        with _only_one(key), tempfile.NamedTemporaryFile(suffix=".tar") as file:
            before = str(self.daemon.image(name)["Id"]) if self.daemon.has_image(name) else ""
            with tarfile.open(fileobj=file, mode="w") as archive:
                _add_context(archive, self.root, context, place)
            file.flush()
            build_image(
                self.daemon,
                Path(file.name),
                _name_in(context, place),
                name=dockerfile.path,
                tag=name,
                arguments={**sources, **dict(dockerfile.arguments)},
                target=dockerfile.target,
                labels={LABEL: key, _PROJECT_LABEL: str(self.root), _DECLARED_LABEL: dockerfile.path},
                say=self.say,
                network=self.network,
            )
            after = str(self.daemon.image(name)["Id"])
            if before not in {"", after}:
                _remove_if_nameless(self.daemon, before)
        return after


def environment_images(daemon: DockerDaemon) -> list[EnvironmentImage]:
    """The images that were made for projects, newest first.

    Raises:
        SandboxInternalError: the daemon does not tell.
    """
    found = [
        EnvironmentImage(
            tag.partition(":")[2],
            image["Labels"].get(_PROJECT_LABEL, ""),
            image["Labels"].get(_DECLARED_LABEL, ""),
            int(image["Created"]),
            int(image["Size"]),
        )
        for image in labelled_images(daemon, LABEL)
        for tag in image.get("RepoTags") or ()
        if tag.startswith(f"{_REPOSITORY}:")
    ]
    return sorted(found, key=lambda image: -image.created)


def remove_environment(daemon: DockerDaemon, name: str) -> None:
    """Remove the image that `environment_images` calls so; it may be gone already.

    What a run still uses loses its name now, and goes with `docker image prune`.

    Raises:
        SandboxInternalError: the daemon cannot.
    """
    tag = f"{_REPOSITORY}:{name}"
    if not daemon.has_image(tag):
        return
    identity = str(daemon.image(tag)["Id"])
    remove_image(daemon, tag)
    _remove_if_nameless(daemon, identity)


def variables_of(daemon: DockerDaemon, image: str) -> dict[str, str]:
    """The variables that an image sets.

    Raises:
        ToolchainMissingError: the daemon does not have it.
    """
    return dict(line.partition("=")[::2] for line in daemon.image(image)["Config"].get("Env") or ())


def _is_plainly_in(root: Path, place: Path) -> bool:
    """Whether a place lies in a folder, and no link leads there."""
    return place.is_relative_to(root) and place.resolve() == root.resolve() / place.relative_to(root)


def _add_context(archive: tarfile.TarFile, root: Path, context: Path, dockerfile: Path) -> None:
    """What a Dockerfile may copy: the project's own files in its context.

    Outside of a repository these have no names that begin with a dot, but for a context that does itself.
    """
    paths = {path for path in list_project(root) if path.is_relative_to(context)}
    is_hidden = any(part.startswith(".") for part in context.relative_to(root).parts)
    if is_hidden and not (root / ".git").exists():
        paths |= {path for path in context.rglob("*") if why_left_out(path.relative_to(root)) is None}
    ignored = _ignored(context)
    names = {path.relative_to(context).as_posix(): path for path in paths}
    sent = {name: path for name, path in names.items() if not ignored(name)}
    sent |= {_IGNORE_FILE: context / _IGNORE_FILE, _name_in(context, dockerfile): dockerfile}
    for name, path in sorted(sent.items()):
        if path.is_file():
            add_file(archive, path, name)


def _name_in(context: Path, dockerfile: Path) -> str:
    """What a Dockerfile is called in the archive; it may lie outside of its context."""
    is_inside = dockerfile.is_relative_to(context)
    return dockerfile.relative_to(context).as_posix() if is_inside else _DOCKERFILE


def _ignored(context: Path) -> Callable[[str], bool]:
    """What the context's `.dockerignore` leaves out: of its patterns the last that fits a file or a folder above it."""
    from docker.utils.build import PatternMatcher

    try:
        lines = (context / _IGNORE_FILE).read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    patterns = PatternMatcher([line.strip() for line in lines if line.strip() and not line.startswith("#")]).patterns

    def ignored(name: str) -> bool:
        places = [name, *(parent.as_posix() for parent in PurePosixPath(name).parents if parent.name)]
        fitting = [pattern for pattern in patterns if any(pattern.match(place) for place in places)]
        return bool(fitting) and not fitting[-1].exclusion

    return ignored


@contextmanager
def _only_one(key: str) -> Iterator[None]:
    """Nobody else of this user makes this image meanwhile.

    Raises:
        CancelledError: it was cancelled while it waited.
        UsageError: the lock cannot be made.
    """
    path = cache_folder() / "environments" / key[:_SHORT]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be made: {error.strerror}. Set XDG_CACHE_HOME to a folder that can."
        ) from error
    token = current_token()
    with lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                token.wait(_LOOK_S)
                token.raise_if_cancelled()
        yield


def _remove_if_nameless(daemon: DockerDaemon, identity: str) -> None:
    """Removes an image that has lost its last name, unless another image stands on it or a run uses it."""
    with suppress(SandboxInternalError, ToolchainMissingError):
        if not daemon.image(identity).get("RepoTags"):
            remove_image(daemon, identity)


def _key(base: str, recipe: Recipe) -> str:
    """The hash of all that decides what is in an image."""
    found = hashlib.sha256(f"{_FORM}\0{base}\0{recipe.script}\0".encode())
    for name, content in recipe.files:
        data = content if isinstance(content, bytes) else content.read_bytes()
        found.update(f"{name}\0{len(data)}\0".encode() + data)
    return found.hexdigest()


@contextmanager
def _archive(root: Path, recipe: Recipe, certificates: bytes) -> Iterator[Path]:
    """The files of a recipe, to be unpacked at `/`."""
    with tempfile.NamedTemporaryFile(suffix=".tar") as file:
        try:
            with tarfile.open(fileobj=file, mode="w") as archive:
                add_bytes(archive, b"", f"{PROJECT}/.afterburner")
                if certificates:
                    add_bytes(archive, certificates, CERTIFICATES)
                for name, content in recipe.files:
                    if isinstance(content, bytes):
                        add_bytes(archive, content, f"{PROJECT}/{name}")
                    else:
                        add_file(archive, content, f"{PROJECT}/{name}")
            file.flush()
        except OSError as error:
            raise UsageError(f"What {root} declares cannot be packed for the installer: {error}.") from error
        yield Path(file.name)
