"""The Python files of a project that may be read: those of the copy that the sandbox is shown, within bounds."""

from __future__ import annotations

import io
import os
import stat
import tokenize
from collections import deque
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.agent.code.source_text import parse

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

MAX_ENTRIES = 100_000  # of all folders together
MAX_FILES = 5_000
MAX_FILE_BYTES = 400_000
MAX_READ_BYTES = 64 * 1024**2  # altogether
MAX_PARSED_BYTES = 6 * 1024**2  # altogether: about ten seconds of a slow machine
_DEEPEST = 40  # folders


class ProjectFiles:
    """Lists, reads and parses the Python files below a folder; every file once, none through a symbolic link.

    What is read is counted in bytes, not in seconds, so that the same project always gives the same.
    """

    def __init__(self, folder: Path | None, near: PurePosixPath) -> None:
        """List the files; `near` is the target's path below `folder`, for what lies near it comes first.

        Without a folder there are no files but those that are `put`.
        """
        self._folder = folder
        self.is_cut = False  # whether something was left out because there is too much of it
        self._read_bytes = self._parsed_bytes = 0
        self._texts: dict[PurePosixPath, str | None] = {}
        self._given: set[PurePosixPath] = set()
        self._trees: dict[PurePosixPath, ast.Module | None] = {}
        walked = self._walk(folder) if folder is not None else ()
        found = sorted(walked, key=lambda each: (_distance(each, near), each))
        self.is_cut = self.is_cut or len(found) > MAX_FILES
        self.paths = tuple(found[:MAX_FILES])
        self._known = frozenset(self.paths)

    def __contains__(self, path: PurePosixPath) -> bool:
        return path in self._known

    def put(self, path: PurePosixPath, text: str) -> None:
        """Take this text for a file instead of what the disk holds. No bound on reading or parsing counts it."""
        self._texts[path] = text
        self._given.add(path)
        self._trees.pop(path, None)

    def text(self, path: PurePosixPath) -> str | None:
        """Give a file's text; None if it is none, too large, or too much was read already."""
        if path not in self._texts:
            data = self.read_bytes(path) if path in self._known else None
            self._texts[path] = _decoded(data) if data is not None else None
        return self._texts[path]

    def tree(self, path: PurePosixPath) -> ast.Module | None:
        """Parse a file; None if it cannot be read or parsed, or too much was parsed already."""
        if path not in self._trees:
            self._trees[path] = self._parsed(self.text(path), is_given=path in self._given)
        return self._trees[path]

    def read_bytes(self, path: PurePosixPath) -> bytes | None:
        """Give what a file holds, if it is a regular file of a bearable size below the folder."""
        if self._folder is None:
            return None
        if self._read_bytes > MAX_READ_BYTES:
            self.is_cut = True
            return None
        data = read_regular(self._folder / path, MAX_FILE_BYTES, within=self._folder)
        self._read_bytes += len(data or b"")
        return data

    def _parsed(self, text: str | None, *, is_given: bool) -> ast.Module | None:
        if text is None:
            return None
        if not is_given and self._parsed_bytes > MAX_PARSED_BYTES:
            self.is_cut = True
            return None
        self._parsed_bytes += 0 if is_given else len(text)
        try:
            return parse(text)
        except (SyntaxError, RecursionError):
            return None

    def _walk(self, root: Path) -> Iterator[PurePosixPath]:
        folders, entries = deque([PurePosixPath()]), 0
        while folders:
            folder = folders.popleft()
            try:
                inside = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in inside:
                entries += 1
                if entries > MAX_ENTRIES:
                    self.is_cut = True
                    return
                if entry.is_symlink() or entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if len(folder.parts) < _DEEPEST:
                        folders.append(folder / entry.name)
                elif entry.name.endswith(".py"):
                    yield folder / entry.name


def read_regular(path: Path, most_bytes: int, *, within: Path) -> bytes | None:
    """Read a regular file below `within`, no part of its path below that being a symbolic link; None for all others."""
    for part in [path, *path.parents]:
        if part == within:
            break
        if part.is_symlink():
            return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most_bytes:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(most_bytes)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _decoded(data: bytes) -> str | None:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return None


def _distance(path: PurePosixPath, near: PurePosixPath) -> int:
    """How many folders lie between two files."""
    shared = 0
    for first, second in zip(path.parts[:-1], near.parts[:-1], strict=False):
        if first != second:
            break
        shared += 1
    return len(path.parts) + len(near.parts) - 2 - 2 * shared
