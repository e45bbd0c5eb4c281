"""Puts trees into archives so that they say nothing of who packed them, and everybody may read what comes out."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.sandbox.cancel import raise_if_cancelled

if TYPE_CHECKING:
    from collections.abc import Iterable


_CHANGED_S = 1_000_000_000  # in 2001: ZIP knows no time before 1980, and whoever packs such a file there fails


def add_tree(archive: tarfile.TarFile, source: str, destination: str) -> None:
    """Add a file, or a folder with all that is in it: files, links as they are, folders; nothing that is neither.

    Args:
        archive: that is being written.
        source: the file or the folder.
        destination: its absolute path where the archive will be unpacked at `/`.

    Raises:
        CancelledError: see `afterburner.sandbox.cancel.cancellable`.
    """
    if not Path(source).is_dir():
        add_file(archive, Path(source), destination)
        return
    for folder, folders, names in os.walk(source):
        raise_if_cancelled()
        place = destination + folder[len(source) :]
        _add_folder(archive, place)
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted((*names, *links)):
            add_file(archive, Path(folder, name), f"{place}/{name}")
        folders.sort()


def add_parents(archive: tarfile.TarFile, destinations: Iterable[str]) -> None:
    """Add the folders above some places, so that everybody may go there: an image's `/root` is closed, for example."""
    parents = {parent for place in destinations for parent in PurePosixPath(place).parents if parent.name}
    for parent in sorted(parents):
        _add_folder(archive, parent.as_posix())


def add_file(archive: tarfile.TarFile, source: Path, destination: str) -> None:
    """Add a regular file or a link; anything else is passed over."""
    status = source.lstat()
    changed_s = max(int(status.st_mtime), _CHANGED_S)
    if stat.S_ISLNK(status.st_mode):
        link = _entry(destination, 0o777, changed_s)
        link.type, link.linkname = tarfile.SYMTYPE, str(source.readlink())
        archive.addfile(link)
    elif stat.S_ISREG(status.st_mode):
        entry = _entry(destination, 0o755 if status.st_mode & 0o111 else 0o644, changed_s)
        with source.open("rb") as file:
            entry.size = os.fstat(file.fileno()).st_size
            archive.addfile(entry, file)


def add_bytes(archive: tarfile.TarFile, data: bytes, destination: str) -> None:
    """Add a file that holds these bytes."""
    entry = _entry(destination, 0o644)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def _add_folder(archive: tarfile.TarFile, destination: str) -> None:
    entry = _entry(destination, 0o755)
    entry.type = tarfile.DIRTYPE
    archive.addfile(entry)


def _entry(destination: str, mode: int, changed_s: int = _CHANGED_S) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(destination.lstrip("/"))
    entry.mode, entry.mtime = mode, changed_s
    return entry
