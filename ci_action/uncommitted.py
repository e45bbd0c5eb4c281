"""Names the files of a commit that the checkout has otherwise: what is measured there is not what the commit has."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from afterburner.ci_action.repository import blob_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from git import Commit, Repo

MOST_NAMED = 3
_MOST_BYTES = 64 * 1024 * 1024  # a larger file is not read for this
_FILE_TYPE, _SUBMODULE = 0o170000, 0o160000
_CONVERSIONS = ("filter", "ident", "working-tree-encoding")  # of .gitattributes: the checkout is never as git keeps it
_AS_BYTES = {"stdout_as_string": False, "strip_newline_in_stdout": False}


def uncommitted_files(repository: Repo, head: Commit, apart_from: Sequence[Path] = ()) -> list[str]:
    """The tracked files that are not on the disk what the commit has. Line ends do not count.

    Files that git converts, such as those of Git LFS, are passed over: to compare them would start the repository's
    filters. For the same reason git itself is not asked for what differs.

    Args:
        repository: that is open.
        head: the commit that is checked out.
        apart_from: files and folders that do not count, such as those that the command itself writes.

    Raises:
        GitError: git cannot read the repository.
    """
    root = Path(str(repository.working_tree_dir))
    differing = set(_differing(root, _blobs(repository, head)))
    missing = {name for name in differing if not os.path.lexists(root / PurePosixPath(name))}
    if missing:
        differing -= missing & set(_outside_of_sparse_checkout(repository))
    if differing:
        differing -= set(_converted(repository, differing))
    differing |= set(
        _names(repository.git.diff_index("--cached", "--name-only", "--diff-filter=A", "-z", head.hexsha, **_AS_BYTES))
    )
    others = [each.absolute() for each in apart_from]
    return sorted(
        name for name in differing if not any((root / PurePosixPath(name)).is_relative_to(each) for each in others)
    )


def uncommitted_note(files: Sequence[str], head: Commit) -> str:
    """Say that what was measured has changes that no commit has.

    Args:
        files: at least one, from the repository's root.
        head: the commit that the report names.
    """
    more = len(files) - MOST_NAMED
    named = ", ".join(files[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    are, their = ("is", "its") if len(files) == 1 else ("are", "their")
    return f"{named} {are} not as in {head.hexsha[:10]}: what was measured has {their} uncommitted changes"


def _blobs(repository: Repo, head: Commit) -> Iterator[tuple[str, str]]:
    """The name and the git id of each file and link of a commit."""
    told: bytes = repository.git.ls_tree("-r", "-z", head.hexsha, **_AS_BYTES)
    for entry in told.split(b"\0")[:-1]:
        about, _, name = entry.partition(b"\t")
        mode, _, blob = about.decode("ascii").split(" ")
        if int(mode, 8) & _FILE_TYPE != _SUBMODULE:
            yield os.fsdecode(name), blob


def _differing(root: Path, blobs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, blob in blobs:
        try:
            differs = not _is_as_committed(root / PurePosixPath(name), blob)
        except OSError:
            differs = True
        if differs:
            yield name


def _is_as_committed(path: Path, blob: str) -> bool:
    about = path.lstat()
    if stat.S_ISLNK(about.st_mode):
        return blob_id(os.fsencode(path.readlink()), blob) == blob
    if not stat.S_ISREG(about.st_mode):
        return False  # a pipe would not end
    if about.st_size > _MOST_BYTES:
        return True
    data = path.read_bytes()
    return blob in (blob_id(data, blob), blob_id(data.replace(b"\r\n", b"\n"), blob))


def _outside_of_sparse_checkout(repository: Repo) -> list[str]:
    listed = _names(repository.git.ls_files("-t", "-z", **_AS_BYTES))
    return [each.removeprefix("S ") for each in listed if each.startswith("S ")]


def _converted(repository: Repo, names: Iterable[str]) -> Iterator[str]:
    """The files that git keeps otherwise than it writes them to the checkout."""
    with TemporaryFile() as asked:
        asked.writelines(os.fsencode(name) + b"\0" for name in names)
        asked.seek(0)
        told = _names(repository.git.check_attr("-z", "--stdin", *_CONVERSIONS, istream=asked, **_AS_BYTES))
    for name, _, value in zip(told[::3], told[1::3], told[2::3], strict=True):
        if value not in ("unspecified", "unset"):
            yield name


def _names(told: bytes) -> list[str]:
    return [os.fsdecode(each) for each in told.split(b"\0")[:-1]]
