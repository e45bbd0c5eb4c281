"""Writes the tree of a git revision into a folder, without letting the repository run anything.

Git's own objects are read (`ls-tree`, `cat-file`) and nothing is checked out, so no hook, filter, attribute or textconv
of the repository runs, and nothing is fetched. What would lead out of the folder is left out.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.agent.errors import TargetError
from afterburner.sandbox import UsageError
from afterburner.sandbox.cancel import raise_if_cancelled
from afterburner.sandbox.git import SAFE_SETTINGS, git_variables, run_git
from afterburner.sandbox.project import MAX_BYTES, MAX_FILE_BYTES, MAX_FILES, why_left_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_LISTED = 20 * MAX_FILES  # with those that are left out
_EXECUTABLE, _LINK, _SUBMODULE = "100755", "120000", "160000"
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree that was written: its commit, how many files it has, and what was left out, in words."""

    commit: str
    files: int
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    name: PurePosixPath
    mode: str
    object_id: str
    size: int


def export_tree(root: Path, revision: str, destination: Path) -> Tree:
    """Write the files that a revision of a repository holds into an empty folder.

    Args:
        root: the top of the repository.
        revision: as git names them: a branch, a tag, a commit, `HEAD~2`.
        destination: is made if need be.

    Raises:
        UsageError: there is no git, no repository, no such revision, or its tree is too large.
    """
    commit = _commit(root, revision)
    kept, left_out = _chosen(_entries(root, commit))
    if len(kept) > MAX_FILES or sum(entry.size for entry in kept) > MAX_BYTES:
        raise UsageError(f"Revision {revision} of {root} is too large for the sandbox.")
    destination.mkdir(parents=True, exist_ok=True)
    written = 0
    # Links come last: no file is written through one.
    for entry, data in _contents(root, sorted(kept, key=lambda entry: entry.mode == _LINK)):
        reason = _write(entry, data, destination)
        if reason is None:
            written += 1
        else:
            left_out.append(f"{entry.name}: {reason}")
    return Tree(commit, written, tuple(left_out))


def file_at(root: Path, revision: str, name: str) -> bytes | None:
    """What a revision holds of a file, as git stores it; None if it has no such file.

    Args:
        root: the top of the repository.
        revision: as git names them.
        name: of the file, from the root.

    Raises:
        UsageError: there is no git, no repository or no such revision.
    """
    commit = _commit(root, revision)
    try:
        return _git(root, "cat-file", "blob", f"{commit}:{name}")
    except TargetError:
        return None


def reading_options() -> tuple[tuple[str, ...], dict[str, str]]:
    """How another program has to start git to read a hostile repository: settings for `-c`, and the environment."""
    return SAFE_SETTINGS, git_variables()


def _commit(root: Path, revision: str) -> str:
    if not os.path.lexists(root / ".git"):
        raise UsageError(f"{root} is no git repository, so it has no revision {revision}.")
    try:
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except (TargetError, ValueError) as error:  # ValueError: a null byte in the name
        raise UsageError(f"{root} has no revision {revision!r}. Name a branch, a tag or a commit.") from error
    return found.decode("ascii").strip()


def _entries(root: Path, commit: str) -> Iterator[_Entry]:
    listed = _git(root, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    if listed.count(b"\0") > MAX_LISTED:  # one small tree, named many times, may stand for any number of files
        raise UsageError(f"Commit {commit} of {root} is too large for the sandbox.")
    for line in listed.split(b"\0"):
        about, separator, name = line.partition(b"\t")
        if separator:
            mode, _, object_id, size = about.decode("ascii").split()
            yield _Entry(PurePosixPath(os.fsdecode(name)), mode, object_id, int(size) if size.isdigit() else 0)


def _chosen(entries: Iterator[_Entry]) -> tuple[list[_Entry], list[str]]:
    kept: list[_Entry] = []
    left_out: list[str] = []
    for entry in entries:
        reason = _refusal(entry)
        if reason is None:
            kept.append(entry)
        else:
            left_out.append(f"{entry.name}: {reason}")
    return kept, left_out


def _refusal(entry: _Entry) -> str | None:
    """Why an entry of the tree is not written."""
    if entry.mode == _SUBMODULE:
        return "it is a submodule"
    if entry.name.is_absolute() or any(part in ("", ".", "..") for part in entry.name.parts) or not entry.name.parts:
        return "its name leads out of the tree"
    if entry.size > MAX_FILE_BYTES:
        return f"it is larger than {MAX_FILE_BYTES // 1024**2} MiB"
    return why_left_out(Path(entry.name))


def _contents(root: Path, entries: Sequence[_Entry]) -> Iterator[tuple[_Entry, bytes]]:
    """The bytes of each entry, as git stores them."""
    asked = "".join(f"{entry.object_id}\n" for entry in entries).encode("ascii")
    answer, at = _git(root, "cat-file", "--batch", asked=asked), 0
    for entry in entries:
        end = answer.index(b"\n", at)
        head = answer[at:end].split()
        if len(head) != 3:  # "<id> missing": a shallow or partial clone
            raise UsageError(f"{root}: {entry.name} is not in this clone. Fetch it with git first.")
        start, size = end + 1, int(head[2])
        yield entry, answer[start : start + size]
        at = start + size + 1


def _write(entry: _Entry, data: bytes, destination: Path) -> str | None:
    """Write one entry; why it was left out, None if it was not."""
    raise_if_cancelled()
    place = destination / entry.name
    if os.path.lexists(place):
        return "its name occurs twice"
    if not place.parent.resolve().is_relative_to(destination.resolve()):
        return "its folder is a symbolic link"
    place.parent.mkdir(parents=True, exist_ok=True)
    if entry.mode == _LINK:
        leads_to = os.path.normpath(PurePosixPath(entry.name).parent / os.fsdecode(data))
        if leads_to.startswith("/") or leads_to.split("/")[0] == os.pardir:
            return "it is a symbolic link that leads out of the tree"
        place.symlink_to(os.fsdecode(data))
        return None
    place.write_bytes(data)
    place.chmod(0o755 if entry.mode == _EXECUTABLE else 0o644)
    return "git LFS keeps its content; only the pointer is there" if data.startswith(_LFS_POINTER) else None


def _git(root: Path, *words: str, asked: bytes = b"") -> bytes:
    """What git answers."""
    try:
        done = run_git(root, *words, stdin=asked)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git cannot read {root}: {error}.") from error
    if done is None:
        raise UsageError("Revisions are read with git, which is not installed here.")
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise TargetError(f"git cannot read {root}: {said[-1] if said else words[0]}")
    return done.stdout
