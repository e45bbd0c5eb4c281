"""The rewrite as a patch, on the disk, and what it costs its reader."""

from __future__ import annotations

import ast
import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.line_matching import Change, changes
from afterburner.agent.code.same_work import branching_words
from afterburner.agent.code.source_text import parse, split_lines
from afterburner.agent.code.whole_files import replace_file
from afterburner.agent.errors import TargetChangedError
from afterburner.agent.types import Readability
from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.types import Target

_CONTEXT = 3  # lines around a change
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.comprehension, ast.Assert)
_NEWLINE = re.compile(r"[^\n]*\n|[^\n]+")  # what diff tools call a line


def unified_diff(target: Target, new_source: str) -> str:
    """Give the change as a patch that `git apply` and `patch -p1` take, with paths from the project's root.

    Empty if nothing changes. For a file that is not UTF-8, write it with `patch_bytes`.
    """
    mark = "\ufeff" if target.encoding == "utf-8-sig" else ""
    old, new = _NEWLINE.findall(mark + target.source), _NEWLINE.findall(mark + new_source)
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
        for line in _diff_lines(old, new, path_inside(target.path, target.project_root))
    )


def path_inside(path: str, root: str) -> str:
    """The path of a file from the root of its project; its name alone if it lies elsewhere."""
    relative = os.path.relpath(path, root)
    return Path(path).name if relative.startswith(os.pardir + os.sep) else relative


def _diff_lines(old: Sequence[str], new: Sequence[str], path: str) -> Iterator[str]:
    hunks = _hunks(changes(old, new))
    if hunks:
        yield f"--- {_header('a/' + path)}\n"
        yield f"+++ {_header('b/' + path)}\n"
    for hunk in hunks:
        yield from _hunk_lines(old, new, hunk)


def _hunks(found: Sequence[Change]) -> list[list[Change]]:
    """The changes; those that share lines of context stand together."""
    hunks: list[list[Change]] = []
    for change in found:
        if hunks and change.old_start - hunks[-1][-1].old_end <= 2 * _CONTEXT:
            hunks[-1].append(change)
        else:
            hunks.append([change])
    return hunks


def _hunk_lines(old: Sequence[str], new: Sequence[str], hunk: Sequence[Change]) -> Iterator[str]:
    first, last = hunk[0], hunk[-1]
    before = min(first.old_start, _CONTEXT)
    at, end = first.old_start - before, min(last.old_end + _CONTEXT, len(old))
    new_lines = _range(first.new_start - before, last.new_end + end - last.old_end)
    yield f"@@ -{_range(at, end)} +{new_lines} @@\n"
    for change in hunk:
        yield from (" " + line for line in old[at : change.old_start])
        yield from ("-" + line for line in old[change.old_start : change.old_end])
        yield from ("+" + line for line in new[change.new_start : change.new_end])
        at = change.old_end
    yield from (" " + line for line in old[at:end])


def _range(start: int, end: int) -> str:
    """Lines as a hunk's head counts them: from 1; of none, the line before."""
    if end - start == 1:
        return f"{end}"
    return f"{start + 1 if end > start else start},{end - start}"


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
        replace_file(path, data, partial(_check_unchanged, path, target))
    except OSError as error:
        raise AfterburnerError(
            f"{target.path} cannot be written: {error.strerror or error}. It is unchanged."
        ) from None


def is_written(target: Target, source: str) -> bool:
    """Whether the target's file already holds this text."""
    try:
        return Path(target.path).read_bytes() == source.encode(target.encoding)
    except (OSError, UnicodeError):
        return False


def readability(old: str, new: str, language: str = PYTHON) -> Readability:
    """Count what the new text costs its reader: lines added and removed, branches (McCabe) added or, negative, saved.

    Either text may be a function or a whole file, but both the same. Of other languages than Python the keywords that
    branch are counted.
    """
    count = _branches if language == PYTHON else partial(branching_words, language=language)
    before, after = ([line.rstrip() for line in split_lines(text)] for text in (old, new))
    added = removed = 0
    for change in changes(before, after):
        removed += change.old_end - change.old_start
        added += change.new_end - change.new_start
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
