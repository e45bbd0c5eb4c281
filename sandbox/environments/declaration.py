"""What a project says of the environment that it runs in, and the safe way to read it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.project import list_project, why_left_out

DEVCONTAINERS = (".devcontainer/devcontainer.json", ".devcontainer.json")
# Outside of a repository, files whose names begin with a dot are not the project's own, but for these.
PYTHON_VERSION = ".python-version"
_DOT_FILES = (*DEVCONTAINERS, PYTHON_VERSION, ".dockerignore")
MOST_BYTES = 16 << 20  # of one file that is read; a lock file of a large project has 2 MiB


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """A Dockerfile, by paths relative to the project's root, with `/`."""

    path: str
    context: str
    arguments: tuple[tuple[str, str], ...] = ()
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """How packages get into an image: a script for `sh`, and the files that it reads.

    Files have paths relative to the folder that the script finds them in; they are given by what they hold, or by where
    they lie here. `notes` tell a person what was passed over.
    """

    script: str
    files: tuple[tuple[str, bytes | Path], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """What an environment is made of: an image, or a Dockerfile that gives one, and what is installed into it.

    Without a `recipe` the image is used as it is. `summary` says in a few words what was found where.
    """

    base: str | Dockerfile
    summary: str
    recipe: Recipe | None = None


class ProjectReader:
    """Reads the files of a project that are to be shown to others: its own regular files, and none that holds keys.

    Args:
        root: the project's folder.
        folder: where its declarations lie: `root`, or a folder in it. All names count from there.
    """

    def __init__(self, root: Path, folder: Path | None = None) -> None:
        self.root = root
        self.folder = folder or root
        self._real = root.resolve()

    @cached_property
    def names(self) -> frozenset[str]:
        """What the project's own files are called, from its root, with `/`.

        Raises:
            UsageError: the root is no project but a home folder, say.
        """
        found = {path.relative_to(self.root).as_posix() for path in list_project(self.root)}
        return frozenset(found | {name for name in _DOT_FILES if (self.root / name).is_file()})

    def path(self, name: str | PurePosixPath) -> Path | None:
        """Where a file of the project lies; None if there is none that may be shown.

        A link may lead to another of the project's own files, and no farther.
        """
        if "\0" in str(name) or PurePosixPath(name).is_absolute():
            return None
        place = Path(os.path.normpath(self.folder / name))
        if not place.is_relative_to(self.root) or not self._is_own(place.relative_to(self.root)):
            return None
        try:
            real = place.resolve(strict=True)
            is_file = stat.S_ISREG(real.stat().st_mode)
        except (OSError, RuntimeError):
            return None
        if not is_file or not real.is_relative_to(self._real) or not self._is_own(real.relative_to(self._real)):
            return None
        return real

    def _is_own(self, name: Path) -> bool:
        is_known = name.as_posix() in self.names or name.name == PYTHON_VERSION
        return bool(name.parts) and is_known and why_left_out(name) is None

    def read(self, name: str | PurePosixPath) -> bytes | None:
        """What a file holds; None as `path`.

        Raises:
            UsageError: it cannot be read, or is too large for what it should be.
        """
        place = self.path(name)
        if place is None:
            return None
        try:
            with place.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise UsageError(f"{self.folder / name} cannot be read: {error.strerror}.") from error
        if len(data) > MOST_BYTES:
            raise UsageError(f"{self.folder / name} is larger than {MOST_BYTES >> 20} MiB, too large for such a file.")
        return data

    def text(self, name: str | PurePosixPath) -> str | None:
        """As `read`, decoded from UTF-8.

        Raises:
            UsageError: as `read`, or it is not UTF-8.
        """
        data = self.read(name)
        try:
            return None if data is None else data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(f"{self.folder / name} is not UTF-8 ({error.reason} at byte {error.start}).") from error

    def names_from_here(self, folder: str = ".") -> list[str]:
        """The project's own files in a folder and below it, by their paths from the declarations' folder."""
        if "\0" in folder or PurePosixPath(folder).is_absolute():
            return []
        place = Path(os.path.normpath(self.folder / folder))
        inside = (self.root / name for name in self.names)
        return sorted(os.path.relpath(path, self.folder) for path in inside if path.is_relative_to(place))
