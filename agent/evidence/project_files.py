"""Which other files the code could see, by hash: what a replay has to be given again."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.sandbox import PythonEnvironment
    from afterburner.sandbox.project import StagedProject

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file of the project: its path from the project's root, with `/`, and `hash_of` it."""

    path: str
    sha256: str


def project_files(project: StagedProject, environment: PythonEnvironment, target: Path) -> tuple[ProjectFile, ...]:
    """The files of a staged project, by path, without the target.

    Args:
        project: as it was copied for the sandbox.
        environment: made with it; the mount points that it put into the copy are no files of the project.
        target: absolute path of the file that is optimised.
    """
    own = {bind.destination for bind in project.binds}
    foreign = [Path(bind.destination) for bind in environment.binds if bind.destination not in own]
    found = []
    for path in staged_paths(project):
        original = project.root / path
        if original != target and not any(original.is_relative_to(mount) for mount in foreign):
            found.append(ProjectFile(path.as_posix(), hash_of(project.folder / path)))
    return tuple(found)


def staged_paths(project: StagedProject) -> Iterator[Path]:
    """All files and links of the copy, relative to the root, in order."""
    for folder, folders, names in os.walk(project.folder):
        folders.sort()
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in sorted((*names, *links)):
            yield (Path(folder) / name).relative_to(project.folder)


def hash_of(path: Path) -> str:
    """SHA-256 of a file's content, or of where a symbolic link leads."""
    if path.is_symlink():
        return hashlib.sha256(b"link to " + os.fsencode(path.readlink())).hexdigest()
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def keep_only(project: StagedProject, files: Sequence[ProjectFile], target: Path) -> list[str]:
    """Take out of the copy what is not among `files`, and tell which of these are missing or differ.

    Args:
        project: a fresh copy, before an environment was made with it.
        files: what the code may see, besides the target.
        target: path of the target, relative to the root.

    Returns:
        One text for each difference; empty if there is none.
    """
    wanted = {file.path: file.sha256 for file in files}
    there = {path.as_posix(): path for path in staged_paths(project)}
    for name, path in there.items():
        if name not in wanted and path != target:
            (project.folder / path).unlink()
    differences = [f"{name} is missing" for name in sorted(wanted.keys() - there.keys())]
    return differences + [
        f"{name} differs"
        for name in sorted(wanted.keys() & there.keys())
        if hash_of(project.folder / name) != wanted[name]
    ]
