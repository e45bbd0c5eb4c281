"""The rewrite as a patch, on the disk, and what it costs its reader."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import stat
import tempfile
from difflib import SequenceMatcher
from difflib import unified_diff as diff_lines
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.same_work import branching_words
from afterburner.agent.code.source_text import parse, split_lines
from afterburner.agent.errors import TargetChangedError
from afterburner.agent.types import Readability
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from afterburner.agent.types import Target

_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.comprehension, ast.Assert)
_NEWLINE = re.compile(r"[^\n]*\n|[^\n]+")  # what diff tools call a line


def unified_diff(target: Target, new_source: str) -> str:
    """Give the change as a patch that `git apply` and `patch -p1` take, with paths from the project's root.

    Empty if nothing changes. For a file that is not UTF-8, write it with `patch_bytes`.
    """
    mark = "\ufeff" if target.encoding == "utf-8-sig" else ""
    old, new = _NEWLINE.findall(mark + target.source), _NEWLINE.findall(mark + new_source)
    path = os.path.relpath(target.path, target.project_root)
    if path.startswith(os.pardir + os.sep):
        path = Path(target.path).name
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        for line in diff_lines(old, new, _header("a/" + path), _header("b/" + path))
    )


def patch_bytes(target: Target, patch: str) -> bytes:
    """Encode a patch of `unified_diff`: its body in the file's own encoding, its paths as they are on the disk."""
    body_encoding = "utf-8" if target.encoding == "utf-8-sig" else target.encoding
    lines = _NEWLINE.findall(patch)
    return b"".join(os.fsencode(line) for line in lines[:2]) + "".join(lines[2:]).encode(body_encoding)


def write_atomically(target: Target, new_source: str) -> None:
    """Write the new text over the target's file, if that still holds what was read; all of it or nothing.

    A symbolic link stays one: the file that it points to is written. Mode and, where permitted, owner are kept.

    Raises:
        TargetChangedError: the file is not what it was.
        AfterburnerError: the file or its folder cannot be written.
    """
    path = Path(os.path.realpath(target.path))
    try:
        data = new_source.encode(target.encoding)
    except UnicodeEncodeError as error:
        raise AfterburnerError(f"{target.path} cannot be written in its encoding: {error}. It is unchanged.") from None
    try:
        _check_unchanged(path, target)
        if not os.access(path, os.W_OK, effective_ids=True):
            raise AfterburnerError(f"{target.path} is read-only; nothing was written.")
        temporary = _written_beside(path, data)
        try:
            _check_unchanged(path, target)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)
    except OSError as error:
        raise AfterburnerError(
            f"{target.path} cannot be written: {error.strerror or error}. It is unchanged."
        ) from None


def readability(old: str, new: str, language: str = PYTHON) -> Readability:
    """Count what the new text costs its reader: lines added and removed, branches (McCabe) added or, negative, saved.

    Either text may be a function or a whole file, but both the same. Of other languages than Python the keywords that
    branch are counted.
    """
    count = _branches if language == PYTHON else partial(branching_words, language=language)
    before, after = ([line.rstrip() for line in split_lines(text)] for text in (old, new))
    added = removed = 0
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            removed += old_end - old_start
            added += new_end - new_start
    return Readability(added, removed, count(new) - count(old))


def _header(path: str) -> str:
    """Write a path as git does: with a tab behind one that has blanks, quoted if it has marks that would confuse."""
    if re.search(r'[\x00-\x1f"\\\x7f]', path):
        special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
        return '"' + "".join(special.get(c, f"\\{ord(c):03o}" if c < " " or c == "\x7f" else c) for c in path) + '"'
    return path + "\t" if " " in path else path


def _check_unchanged(path: Path, target: Target) -> None:
    if not path.is_file() or path.read_bytes() != target.source.encode(target.encoding):
        raise TargetChangedError(f"{target.path} changed since it was read; nothing was written. Run again.")


def _written_beside(path: Path, data: bytes) -> Path:
    """Write a complete temporary file into the same folder, with the mode and owner of `path`."""
    status = path.stat()
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            with contextlib.suppress(PermissionError):  # another's file, in a folder that we may write to
                os.fchown(file.fileno(), status.st_uid, status.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))  # last: a change of owner clears set-id bits
            os.fsync(file.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _sync_folder(folder: Path) -> None:
    """Have the new name on the disk too. Not every file system can; the file itself is whole in any case."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _branches(source: str) -> int:
    count = 0
    for node in ast.walk(parse(source)):
        if isinstance(node, _BRANCHES):
            count += 1 + (len(node.ifs) if isinstance(node, ast.comprehension) else 0)
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        elif isinstance(node, ast.Match):
            count += len(node.cases)
    return count
