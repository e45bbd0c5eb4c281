"""The git repository of a checkout, read through GitPython in a way that runs nothing that the repository names."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from git import Repo
from git.exc import GitError, InvalidGitRepositoryError, NoSuchPathError

from afterburner.agent import UsageError
from afterburner.agent.code.revisions import reading_options

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from git import Commit

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_FILE_TYPE, _REGULAR = 0o170000, 0o100000
_SHALLOW = "This clone is shallow. Fetch the whole history: with actions/checkout, set `fetch-depth: 0`."


@dataclass(frozen=True, slots=True)
class Range:
    """What a pull request changes: everything from `base` to `head`.

    Attributes:
        base: where the pull request left the base branch.
        head: what is checked out.
    """

    base: Commit
    head: Commit


@contextmanager
def open_repository(root: Path) -> Iterator[Repo]:
    """Open the repository whose top folder is `root`.

    Raises:
        UsageError: it is no repository, or git is missing.
    """
    settings, variables = reading_options()
    try:
        repository = Repo(root, search_parent_directories=False, expand_vars=False)
    except (InvalidGitRepositoryError, NoSuchPathError) as error:
        raise UsageError(f"{root} is not the top folder of a git repository. Run this where `.git` is.") from error
    with repository:
        repository.git.set_persistent_git_options(c=list(settings))
        # Named, and not searched for: git would refuse a checkout of another user, as it is in the container of a job.
        repository.git.update_environment(**variables, GIT_DIR=str(root / ".git"), GIT_WORK_TREE=str(root))
        try:
            yield repository
        except GitError as error:
            raise UsageError(f"git cannot read {root}: {_last_line(error)}.") from error


def find_range(repository: Repo, base: str, head: str = "HEAD") -> Range:
    """Find what a pull request changes.

    Args:
        repository: that is open.
        base: the revision that the pull request goes to. Where it has moved on, the common ancestor counts.
        head: the revision that is checked out. A merge commit that GitHub made of base and head is fine.

    Raises:
        UsageError: a revision is not there, or the two have no common ancestor in this clone.
    """
    head_commit = _commit(repository, head)
    base_commit = _base_commit(repository, base, head_commit)
    ancestors = repository.merge_base(base_commit, head_commit)
    if not ancestors:
        advice = _SHALLOW if is_shallow(repository) else "Name another base."
        raise UsageError(f"{base} and {head} have no common ancestor in this clone. {advice}")
    return Range(ancestors[0], head_commit)


def head_alone(repository: Repo) -> Range:
    """The commit that is checked out, without a base.

    Raises:
        UsageError: there is no commit.
    """
    head = _commit(repository, "HEAD")
    return Range(head, head)


def _base_commit(repository: Repo, base: str, head: Commit) -> Commit:
    """The base. A shallow clone of GitHub's merge commit has it only as the first parent of that commit."""
    try:
        return _commit(repository, base)
    except UsageError as error:
        is_told = _SHA.fullmatch(base) is not None  # by the event, and not typed by somebody
        if (
            is_told
            and len(head.parents) == 2
            and is_shallow(repository)
            and _is_here(repository, head.parents[0].hexsha)
        ):
            return head.parents[0]
        if _is_here(repository, f"refs/remotes/origin/{base}^{{commit}}"):
            raise UsageError(
                f"This clone has no branch {base!r}, but that of its remote: --base origin/{base}."
            ) from error
        raise


def _is_here(repository: Repo, name: str) -> bool:
    try:
        repository.git.cat_file("-e", name)
    except GitError:
        return False
    return True


def _commit(repository: Repo, revision: str) -> Commit:
    try:
        sha = repository.git.rev_parse("--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        return repository.commit(sha)
    except (GitError, ValueError) as error:
        advice = _SHALLOW if is_shallow(repository) else "Name a branch, a tag or a commit of this clone."
        raise UsageError(f"{repository.working_tree_dir} has no revision {revision!r}. {advice}") from error


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a range changes, as git tells it. Modes are octal numbers, 0 where there is no file."""

    base_path: str
    path: str
    base_mode: int
    mode: int
    base_blob: str
    blob: str

    @property
    def is_regular(self) -> bool:
        """Whether the head has it, as a file and not as a link or a submodule."""
        return self.mode & _FILE_TYPE == _REGULAR

    @property
    def was_regular(self) -> bool:
        """Likewise the base."""
        return self.base_mode & _FILE_TYPE == _REGULAR


def changed_files(repository: Repo, span: Range) -> list[ChangedFile]:
    """What a range changes; renamed files are recognised, unless git lacks what they hold, as in a partial clone.

    GitPython's own reading of this cuts names at a newline, so git's answer is read here.
    """
    words = ("-r", "-z", "--raw", "--no-abbrev", span.base.hexsha, span.head.hexsha)
    as_bytes = {"stdout_as_string": False, "strip_newline_in_stdout": False}
    try:
        told: bytes = repository.git.diff_tree("-M", *words, **as_bytes)
    except GitError:
        told = repository.git.diff_tree(*words, **as_bytes)
    fields = iter([os.fsdecode(each) for each in told.split(b"\0")[:-1]])
    found = []
    for about in fields:
        base_mode, mode, base_blob, blob, status = about.removeprefix(":").split(" ")
        base_path = next(fields)
        path = next(fields) if status[0] in "RC" else base_path
        found.append(ChangedFile(base_path, path, int(base_mode, 8), int(mode, 8), base_blob, blob))
    return found


def file_names(repository: Repo, commit: Commit) -> list[str]:
    """The paths of all files of a commit."""
    told: bytes = repository.git.ls_tree(
        "-r", "-z", "--name-only", commit.hexsha, stdout_as_string=False, strip_newline_in_stdout=False
    )
    return [os.fsdecode(each) for each in told.split(b"\0")[:-1]]


def bytes_of_blob(repository: Repo, blob: str, most_bytes: int) -> bytes | None:
    """The content of a blob; None: it is larger than `most_bytes`."""
    if int(repository.git.cat_file("-s", blob)) > most_bytes:
        return None
    data: bytes = repository.git.cat_file("blob", blob, stdout_as_string=False, strip_newline_in_stdout=False)
    return data


def blob_at(head: Commit, file: str) -> str | None:
    """The git id of a file of a commit; None if it has no such file."""
    try:
        return str((head.tree / file).hexsha)
    except KeyError:
        return None


def blob_id(data: bytes, like: str) -> str:
    """The id that git gives to a file's content, by the hash of the repository (SHA-1, or SHA-256) that `like` has."""
    make = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def is_shallow(repository: Repo) -> bool:
    """Whether a part of the history is missing from the clone."""
    return str(repository.git.rev_parse("--is-shallow-repository")) == "true"


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__).rstrip(".")[:300]
