"""What the stand-in for GitHub knows: repositories, pull requests, comments, reviews, and what each token may do."""

from __future__ import annotations

import itertools
import re
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from github_git import GitStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from github_git import ChangedFile

BOT = "github-actions[bot]"
Level = Literal["none", "read", "write"]
EVERYTHING: Mapping[str, Level] = dict.fromkeys(
    ("actions", "checks", "contents", "issues", "pull-requests", "statuses"), "write"
)


@dataclass
class Token:
    """What a token may do; `is_personal` tells a person's from the one that GitHub makes for a job."""

    value: str
    login: str
    permissions: Mapping[str, Level]
    repositories: frozenset[str] | None = None  # None: all
    is_personal: bool = False
    is_revoked: bool = False

    def reaches(self, repository: str) -> bool:
        """Say whether it was made for a repository, too."""
        return self.repositories is None or repository.lower() in self.repositories

    def allows(self, permission: str, level: Level) -> bool:
        """Say whether it has a permission; who may write may read."""
        return self.permissions.get(permission, "none") in {level, "write"}


@dataclass
class Comment:
    """A comment below a pull request."""

    id: int
    author: str
    body: str
    created_s: int
    updated_s: int


@dataclass
class ReviewComment:
    """A comment on lines of a pull request."""

    id: int
    review_id: int
    author: str
    path: str
    body: str
    commit_id: str
    line: int
    side: str
    start_line: int | None
    start_side: str | None
    hunk: str
    created_s: int


@dataclass
class Review:
    """A review, whose comments are held by their pull request."""

    id: int
    author: str
    body: str
    state: str
    commit_id: str
    submitted_s: int


@dataclass(eq=False)
class PullRequest:
    """A pull request. Its head and base are read from git: a push shows at once, as long as it is open."""

    number: int
    id: int
    base_repository: Repository
    head_repository: Repository
    head_ref: str
    base_ref: str
    author: str
    title: str
    created_s: int
    body: str | None = None
    is_draft: bool = False
    is_locked: bool = False
    state: str = "open"
    labels: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    review_comments: list[ReviewComment] = field(default_factory=list)
    merge_sha: str | None = None
    _head_sha: str = ""
    _base_sha: str = ""

    @property
    def is_from_fork(self) -> bool:
        return self.head_repository is not self.base_repository

    @property
    def head_sha(self) -> str:
        self.refresh()
        return self._head_sha

    @property
    def base_sha(self) -> str:
        self.refresh()
        return self._base_sha

    @property
    def head_label(self) -> str:
        return f"{self.head_repository.owner}:{self.head_ref}"

    @property
    def store(self) -> GitStore:
        """Where all commits of the pull request are."""
        return self.base_repository.store

    def refresh(self) -> None:
        """Take over what was pushed: `refs/pull/N/head` and `refs/pull/N/merge`, as GitHub has them."""
        head = self.head_repository.store.branch_sha(self.head_ref)
        base = self.store.branch_sha(self.base_ref)
        if self.state != "open" or not head or not base or (head, base) == (self._head_sha, self._base_sha):
            return
        source = str(self.head_repository.store.folder)
        self.store.git(
            "fetch", "--quiet", "--force", source, f"refs/heads/{self.head_ref}:refs/pull/{self.number}/head"
        )
        self._head_sha, self._base_sha = head, base
        self.merge_sha = self.store.merge(base, head)
        if self.merge_sha:
            self.store.git("update-ref", f"refs/pull/{self.number}/merge", self.merge_sha)

    def files(self) -> list[ChangedFile]:
        """Give the files that it changes."""
        return self.store.changes(self.base_sha, self.head_sha)

    def commits(self) -> list[str]:
        """Give the SHAs of its commits, the newest first."""
        return self.store.git("rev-list", f"{self.base_sha}..{self.head_sha}").split()

    def has_commit(self, sha: str) -> bool:
        """Say whether a SHA is one of its commits, or was one before a push put others in their place."""
        return self.store.kind(sha) == "commit" and not self.store.is_ancestor(sha, self.base_sha)


@dataclass(eq=False)
class Repository:
    """A repository; what a branch holds is in its store."""

    name: str  # with the owner's, as GitHub's `full_name`
    id: int
    store: GitStore
    default_branch: str
    is_private: bool
    parent: Repository | None
    world: World
    actions_may_open_pull_requests: bool = False  # a setting that GitHub leaves off
    pulls: dict[int, PullRequest] = field(default_factory=dict)

    @property
    def owner(self) -> str:
        return self.name.split("/")[0]

    @property
    def short_name(self) -> str:
        return self.name.split("/")[1]

    def head_sha(self, branch: str | None = None) -> str:
        """Give the SHA of a branch's newest commit; without a name, of the default branch's."""
        found = self.store.branch_sha(branch or self.default_branch)
        assert found, f"{self.name} has no branch {branch or self.default_branch}"
        return found

    def push(self, branch: str, files: Mapping[str, str | bytes | None], **details: Any) -> str:
        """Put a commit on a branch, which begins at the default branch where it is new, and give its SHA.

        `details` are as `GitStore.commit` takes them.
        """
        parent = self.store.branch_sha(branch) or self.store.branch_sha(self.default_branch)
        return self.store.commit(branch, files, **{"parent": parent, **details})

    def fork(self, owner: str) -> Repository:
        """Make another owner's copy, or give the one there is."""
        name = f"{owner}/{self.short_name}"
        known = self.world.repositories.get(name.lower())
        return known or self.world.add_repository(name, parent=self, is_private=self.is_private)

    def pull_request(
        self,
        files: Mapping[str, str | bytes | None] | None = None,
        *,
        head: str = "change",
        author: str = "octocat",
        fork: str | None = None,
        labels: tuple[str, ...] = (),
        title: str = "Change files",
    ) -> PullRequest:
        """Push files to a branch, here or in a fork, and open a pull request of it against the default branch."""
        source = self.fork(fork) if fork else self
        if files:
            source.push(head, files, author=fork or author)
        pull = self.open(source, head, self.default_branch, author=fork or author, title=title)
        pull.labels.extend(labels)
        return pull

    def open(self, source: Repository, head: str, base: str, *, author: str, title: str) -> PullRequest:
        """Open a pull request of a branch that is there."""
        number = next(self.world.numbers)
        made = PullRequest(
            number=number,
            id=next(self.world.ids),
            base_repository=self,
            head_repository=source,
            head_ref=head,
            base_ref=base,
            author=author,
            title=title,
            created_s=self.world.now_s(),
        )
        self.pulls[number] = made
        made.refresh()
        return made

    def comment(self, pull: PullRequest, body: str, author: str) -> Comment:
        """Write a comment below a pull request."""
        now_s = self.world.now_s()
        made = Comment(next(self.world.ids), author, body, now_s, now_s)
        pull.comments.append(made)
        return made


class World:
    """All repositories and tokens."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repositories: dict[str, Repository] = {}
        self.tokens: dict[str, Token] = {}
        self.ids: Iterator[int] = itertools.count(4001)
        self.numbers: Iterator[int] = itertools.count(1)
        self._seconds = itertools.count(1_760_100_000)

    def now_s(self) -> int:
        """Give the time: each call is a second later than the one before."""
        return next(self._seconds)

    def add_repository(
        self,
        name: str,
        files: Mapping[str, str | bytes | None] | None = None,
        *,
        default_branch: str = "main",
        is_private: bool = False,
        parent: Repository | None = None,
    ) -> Repository:
        """Make a repository with one commit on its default branch, or a fork with all that its parent has."""
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
            raise ValueError(f"{name} is no name of a repository: write OWNER/NAME")
        folder = self.folder / "repositories" / f"{name.lower()}.git"
        if parent:
            folder.parent.mkdir(parents=True, exist_ok=True)
            # shared: as on GitHub, a fork knows the commits that its parent gets later
            parent.store.git("clone", "--quiet", "--bare", "--shared", str(parent.store.folder), str(folder))
            default_branch = parent.default_branch
        store = GitStore(folder, default_branch)
        if not parent:
            store.commit(default_branch, files or {"README.md": "# Nothing yet\n"}, message="Begin")
        made = Repository(name, next(self.ids), store, default_branch, is_private, parent, self)
        self.repositories[name.lower()] = made
        return made

    def new_token(
        self,
        permissions: Mapping[str, Level] = EVERYTHING,
        *,
        login: str = BOT,
        repositories: tuple[str, ...] | None = None,
        is_personal: bool = False,
    ) -> str:
        """Make a token; that of a job unless it is a person's."""
        value = ("github_pat_" if is_personal else "ghs_") + secrets.token_hex(18)
        reach = None if repositories is None else frozenset(name.lower() for name in repositories)
        self.tokens[value] = Token(value, login, permissions, reach, is_personal)
        return value

    def revoke(self, value: str) -> None:
        """Make a token worth nothing, as GitHub does when a job is over."""
        self.tokens[value].is_revoked = True
