"""Where the stand-ins for GitHub's artifact and cache actions keep what they are given."""

from __future__ import annotations

import itertools
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_FORBIDDEN_IN_NAME = re.compile(r'["<>|*?:\r\n\\/]')
_FORBIDDEN_IN_PATH = re.compile(r'["<>|*?:\r\n]')


class StoreError(Exception):
    """GitHub would not take it; why."""


@dataclass(frozen=True)
class Artifact:
    """What a run uploaded under a name."""

    id: int
    run_id: int
    repository: str
    name: str
    folder: Path


class ArtifactStore:
    """The artifacts of all runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ids = itertools.count(9001)
        self.artifacts: list[Artifact] = []

    def put(self, run_id: int, repository: str, name: str, files: Mapping[str, Path], *, overwrite: bool) -> Artifact:
        """Keep copies of files, by the paths that they have within the artifact.

        Raises:
            StoreError: A name is not allowed, or the run has an artifact of that name.
        """
        for path in files:
            if _FORBIDDEN_IN_PATH.search(path):
                raise StoreError(f"The path for one of the files in artifact is not valid: {path}")
        made = self._made(run_id, repository, name, overwrite=overwrite)
        for path, source in files.items():
            target = made.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return made

    def forge(self, run_id: int, repository: str, name: str, files: Mapping[str, str | bytes]) -> Artifact:
        """Keep what an attacker's job might upload: any bytes under any path within the artifact."""
        made = self._made(run_id, repository, name, overwrite=True)
        for path, content in files.items():
            target = made.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return made

    def find(self, run_id: int, repository: str, name: str) -> Artifact | None:
        """Give the artifact that a run uploaded under a name."""
        wanted = (run_id, repository.lower(), name)
        return next((each for each in self.artifacts if (each.run_id, each.repository, each.name) == wanted), None)

    def _made(self, run_id: int, repository: str, name: str, *, overwrite: bool) -> Artifact:
        if not name or _FORBIDDEN_IN_NAME.search(name):
            raise StoreError(f"The artifact name is not valid: {name}")
        before = self.find(run_id, repository, name)
        if before and not overwrite:
            raise StoreError("Failed to CreateArtifact: (409) Conflict: an artifact with this name already exists")
        if before:
            self.artifacts.remove(before)
        number = next(self._ids)
        made = Artifact(number, run_id, repository.lower(), name, self._folder / str(number))
        made.folder.mkdir(parents=True)
        self.artifacts.append(made)
        return made


@dataclass(frozen=True)
class _Cached:
    scope: str
    key: str
    folder: Path


class CacheStore:
    """Caches of branches: a run reads its own branch's and those of its base, and writes only its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: list[_Cached] = []

    def save(self, scope: str, key: str, paths: Sequence[Path]) -> bool:
        """Keep files and folders under a key; says whether it did: a key is written once."""
        if any((each.scope, each.key) == (scope, key) for each in self._entries):
            return False
        made = _Cached(scope, key, self._folder / str(len(self._entries)))
        for number, path in enumerate(paths):
            if path.is_dir():
                shutil.copytree(path, made.folder / str(number), symlinks=True)
            elif path.exists():
                made.folder.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, made.folder / str(number))
        self._entries.append(made)
        return True

    def restore(self, scopes: Sequence[str], key: str, starts: Sequence[str], paths: Sequence[Path]) -> str | None:
        """Put back what is kept under a key, or under the newest one with one of some starts; gives its key."""
        found = self._found(scopes, key, starts)
        if found is None:
            return None
        for number, path in enumerate(paths):
            kept = found.folder / str(number)
            if kept.is_dir():
                shutil.copytree(kept, path, symlinks=True, dirs_exist_ok=True)
            elif kept.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(kept, path)
        return found.key

    def _found(self, scopes: Sequence[str], key: str, starts: Sequence[str]) -> _Cached | None:
        for scope in scopes:
            mine = [each for each in reversed(self._entries) if each.scope == scope]
            exact = [each for each in mine if each.key == key]
            partial = [each for start in (key, *starts) for each in mine if each.key.startswith(start)]
            if exact or partial:
                return (exact or partial)[0]
        return None
