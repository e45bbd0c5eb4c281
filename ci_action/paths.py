"""Which files count, by patterns as .gitignore writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Which files count, by their paths from the repository's root.

    Attributes:
        include: the files that count; None: every file.
        exclude: the files among them that do not.
    """

    include: GitIgnoreSpec | None
    exclude: GitIgnoreSpec

    @classmethod
    def of(cls, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> PathFilter:
        """Read patterns; without any to include, every file counts."""
        return cls(GitIgnoreSpec.from_lines(include) if include else None, GitIgnoreSpec.from_lines(exclude))

    def takes(self, path: str) -> bool:
        """Whether a file counts."""
        return (self.include is None or self.include.match_file(path)) and not self.exclude.match_file(path)
