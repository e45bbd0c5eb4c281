"""Which lines of a pull request can be commented on: GitHub takes those that lie in its diff."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.ci_action.github.client import GitHub
    from afterburner.ci_action.github.event import Job, PullRequest

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d{1,9})(?:,(\d{1,9}))? @@")


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What the diff shows of a file's new side.

    Attributes:
        blob: the git id of the file at the head.
        hunks: the first and the last line of each hunk, inclusive.
    """

    blob: str
    hunks: tuple[tuple[int, int], ...]

    def shows(self, first: int, last: int) -> bool:
        """Whether all these lines lie in one hunk."""
        return any(start <= first and last <= end for start, end in self.hunks)


def read_diff(github: GitHub, job: Job, pull_request: PullRequest) -> dict[str, FileDiff]:
    """The diff of a pull request, by file. GitHub omits the lines of large files.

    Raises:
        NotAllowedError, GitHubError: it cannot be read.
    """
    files = github.pages(f"{job.repository_path}/pulls/{pull_request.number}/files")
    return {each["filename"]: FileDiff(each["sha"] or "", _hunks(each.get("patch") or "")) for each in files}


def _hunks(patch: str) -> tuple[tuple[int, int], ...]:
    found = []
    for start, length in _HUNK.findall(patch):
        first, lines = int(start), int(length or 1)
        if lines:
            found.append((first, first + lines - 1))
    return tuple(found)
