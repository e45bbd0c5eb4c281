"""The git side of a repository of the stand-in for GitHub: a real bare repository, asked by real git."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_EPOCH_S = 1_760_000_000  # when the first commit is made; each further one is a minute younger
_LONGEST_PATCH = 1_000_000  # GitHub leaves out the patch of a file where it is longer
_STATES = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "C": "copied", "T": "changed"}
_SHA = re.compile(r"[0-9a-f]{40}")


class GitError(Exception):
    """git refused; what it said."""


@dataclass(frozen=True)
class ChangedFile:
    """A file of a pull request: `patch` is what GitHub gives, from the first `@@` on; None where it gives none."""

    path: str
    previous_path: str | None
    status: str
    blob: str
    patch: str | None

    @property
    def additions(self) -> int:
        return sum(line.startswith("+") for line in (self.patch or "").split("\n"))

    @property
    def deletions(self) -> int:
        return sum(line.startswith("-") for line in (self.patch or "").split("\n"))


class GitStore:
    """A bare repository in a folder, made where there is none."""

    def __init__(self, folder: Path, default_branch: str = "main") -> None:
        self.folder = folder
        self._commits = 0
        self._changes: dict[tuple[str, str], list[ChangedFile]] = {}
        if not folder.exists():
            folder.mkdir(parents=True)
            self.git("init", "--quiet", "--bare", f"--initial-branch={default_branch}")
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")  # as GitHub allows it

    def git(self, *arguments: str, stdin: bytes = b"", **variables: str) -> str:
        """Run git in the repository with nothing of the user's configuration, and give what it prints.

        Raises:
            GitError: It failed.
        """
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            input=stdin,
            env=git_environment(**variables),
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise GitError(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode("utf-8", "surrogateescape")

    def bytes_of(self, blob: str) -> bytes:
        """Give the content of a blob."""
        command = ["git", "cat-file", "blob", blob]
        return subprocess.run(command, cwd=self.folder, env=git_environment(), capture_output=True, check=True).stdout

    def resolve(self, name: str) -> str | None:
        """Give the SHA of the commit that a branch, tag or SHA names."""
        return self._resolved(f"{name}^{{commit}}")

    def branch_sha(self, branch: str) -> str | None:
        """Give the SHA of the newest commit of a branch."""
        loose = self.folder / "refs" / "heads" / branch  # what a page of JSON asks for often
        if loose.is_file():
            return loose.read_text(encoding="ascii").strip()
        return self._resolved(f"refs/heads/{branch}^{{commit}}")

    def kind(self, sha: str) -> str | None:
        """Say whether a SHA is a `blob`, `tree`, `commit` or `tag`; None where there is no such object."""
        try:
            return self.git("cat-file", "-t", sha).strip() if _SHA.fullmatch(sha) else None
        except GitError:
            return None

    def commit(
        self,
        branch: str,
        files: Mapping[str, str | bytes | None],
        *,
        parent: str | None = None,
        message: str = "Change files",
        author: str = "octocat",
        modes: Mapping[str, str] | None = None,
    ) -> str:
        """Put a commit on a branch and give its SHA; a file that is None is removed.

        Args:
            branch: What the commit goes to.
            files: Their contents by path.
            parent: The SHA of the commit before it, and without one the branch's newest.
            message: The commit's message.
            author: Who wrote it.
            modes: The modes by path of the files that are not `100644`: `120000` for a symbolic link.
        """
        before = parent or self.branch_sha(branch)
        person = f"{author} <{author}@users.noreply.github.com> {self._now_s()} +0000\n"
        stream = [
            f"commit refs/heads/{branch}\n".encode(),
            f"author {person}committer {person}".encode(),
            _data(message),
        ]
        if before:
            stream.append(f"from {before}\n".encode())
        for path, content in files.items():
            name = _quoted(path)
            if content is None:
                stream.append(f"D {name}\n".encode())
            else:
                stream += [f"M {(modes or {}).get(path, '100644')} inline {name}\n".encode(), _data(content)]
        self.git("fast-import", "--quiet", "--force", stdin=b"".join(stream))
        made = self.branch_sha(branch)
        assert made
        return made

    def commit_tree(self, tree: str, parents: Sequence[str], message: str, **person: str) -> str:
        """Make a commit of a tree, on no branch; `person` is what git reads of the variables `GIT_AUTHOR_…`."""
        when = f"{self._now_s()} +0000"
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        before = [part for parent in parents for part in ("-p", parent)]
        return self.git("commit-tree", tree, *before, stdin=message.encode(), **{**dates, **person}).strip()

    def merge(self, base: str, head: str) -> str | None:
        """Make the commit that GitHub would merge a pull request with; None where the two conflict."""
        try:
            tree = self.git("merge-tree", "--write-tree", base, head).split("\n", 1)[0]
        except GitError:
            return None
        return self.commit_tree(tree, [base, head], f"Merge {head} into {base}")

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Say whether all of one commit is in another."""
        try:
            self.git("merge-base", "--is-ancestor", older, newer)
        except GitError:
            return False
        return True

    def changes(self, base: str, head: str) -> list[ChangedFile]:
        """Give the files that differ between two commits, since they parted, as a pull request shows them."""
        if (base, head) not in self._changes:
            span = ("--find-renames", "--no-ext-diff", f"{base}...{head}")
            patches = _patches(self.git("diff", "--no-color", *span))
            listed = self.git("diff", "--raw", "-z", "--abbrev=40", *span).split("\0")
            self._changes[base, head] = _changed_files(listed, patches)
        return self._changes[base, head]

    def diff(self, base: str, head: str) -> str:
        """Give the same as one text."""
        return self.git("diff", "--no-color", "--find-renames", "--no-ext-diff", f"{base}...{head}")

    def _resolved(self, expression: str) -> str | None:
        try:
            return self.git("rev-parse", "--verify", "--quiet", "--end-of-options", expression).strip()
        except GitError:
            return None

    def _now_s(self) -> int:
        self._commits += 1
        return _EPOCH_S + 60 * self._commits


def git_environment(**variables: str) -> dict[str, str]:
    """Give the variables for a git that reads no configuration of this machine's and asks nothing."""
    person = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in _GITHUB.items()}
    fixed = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
    return {"PATH": os.environ["PATH"], **person, **fixed, **variables}


_GITHUB = {"NAME": "GitHub", "EMAIL": "noreply@github.com"}


def _data(content: str | bytes) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return b"data %d\n%s\n" % (len(data), data)


def _quoted(path: str) -> str:
    """Write a path as git's streams want it where it begins with a quote or holds a line break."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _patches(diff: str) -> list[str | None]:
    parts = re.split(r"^diff --git .*\n", diff, flags=re.MULTILINE)[1:]
    return [_patch(part) for part in parts]


def _patch(part: str) -> str | None:
    start = part.find("\n@@ ")
    patch = part[start + 1 :].removesuffix("\n")
    return patch if start >= 0 and len(patch) <= _LONGEST_PATCH else None


def _changed_files(listed: Sequence[str], patches: Sequence[str | None]) -> list[ChangedFile]:
    """Read what `git diff --raw -z` lists: for each file its modes, blobs and state, then one path or two."""
    fields, files = iter(listed), []
    for patch in patches:
        _, _, old, new, state = next(fields).split(" ")
        first = next(fields)
        path, previous = (next(fields), first) if state[0] in "RC" else (first, None)
        files.append(ChangedFile(path, previous, _STATES[state[0]], old if state == "D" else new, patch))
    return files
