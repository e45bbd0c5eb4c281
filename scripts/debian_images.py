"""Docker images of Debian's releases, for tests and trials: made with debootstrap, so that no registry is needed."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import docker
from docker.errors import ImageNotFound

from afterburner.sandbox.folders import cache_folder

USELESS = ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info")
RECIPE = 2  # change it to have everyone's cached images made anew


class UnableError(Exception):
    """What is missing, in one line."""


@dataclass(frozen=True, slots=True)
class DebianImage:
    """A minimal Debian, and what else is in it.

    Attributes:
        release: its code name, such as `trixie`.
        packages: beside the minimum.
    """

    release: str
    packages: tuple[str, ...]

    @property
    def name(self) -> str:
        """The image's name, from all that decides what is in it."""
        return f"afterburner-test-{self.release}-{_hash(self.packages)}:{_hash((RECIPE, USELESS, platform.machine()))}"

    def archive(self) -> Path:
        """The image's root filesystem as an archive: from the user's cache, or made now in about two minutes.

        Raises:
            UnableError: this machine cannot make it.
        """
        name, _, tag = self.name.partition(":")
        archive = cache_folder() / f"{name}-{tag}.tar"
        if archive.exists():
            return archive
        if os.geteuid() != 0 or shutil.which("debootstrap") is None:
            raise UnableError(
                "A Debian image is made with debootstrap. Run this as root, after `apt-get install debootstrap`."
            )
        for old in cache_folder().glob(f"{name}-*.tar"):
            old.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{name}-", dir=cache_folder()) as folder:
            root = Path(folder, "root")
            include = [f"--include={','.join(self.packages)}"] if self.packages else []
            run(["debootstrap", "--variant=minbase", *include, self.release, str(root), _mirror()])
            for useless in USELESS:
                shutil.rmtree(root / useless, ignore_errors=True)
            run(["tar", "--numeric-owner", "-C", str(root), "-cf", f"{folder}/root.tar", "."])
            Path(folder, "root.tar").replace(archive)
        return archive


def provide_image(url: str, image: DebianImage) -> str:
    """Load the image into the daemon at this address if it is not there yet; returns its name.

    Raises:
        UnableError: this machine cannot make it.
    """
    with closing(docker.DockerClient(base_url=url, timeout=300)) as client:
        try:
            client.images.get(image.name)
        except ImageNotFound:
            repository, _, tag = image.name.partition(":")
            client.api.import_image_from_file(str(image.archive()), repository=repository, tag=tag)
    return image.name


def this_release() -> str:
    """The code name of this machine's release."""
    return platform.freedesktop_os_release().get("VERSION_CODENAME", "")


def _hash(recipe: object) -> str:
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:12]


def _mirror() -> str:
    """Where this machine's apt gets its packages."""
    targets = run(
        ["apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(REPO_URI)", "Created-By: Packages"]
    )
    for target in targets.splitlines():
        codename, component, address = target.split()
        if (codename, component) == (this_release(), "main"):
            return address
    raise UnableError("apt has no source of packages for this release, and debootstrap needs one.")


def run(command: list[str]) -> str:
    """What a command prints.

    Raises:
        UnableError: it does not start, or fails.
    """
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise UnableError(f"{command[0]} does not start: {error.strerror}.") from error
    if done.returncode != 0:
        told = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise UnableError(f"{command[0]} failed: {' '.join(told)[:500]}")
    return done.stdout
