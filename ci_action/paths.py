"""Which files count, by patterns as .gitignore writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class PathFilter:
    """Which files count, by their paths from the repository's root.

    Attributes:
        include: patterns, of which one has to match; none: every file counts.
        exclude: patterns, of which none may match.

    A pattern may hold `*`, `?` and `**`. A folder stands for all that lies in it: `src` means `src/**`.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Whether a file counts."""
        if self._include and not any(each.fullmatch(path) for each in self._include):
            return False
        return not any(each.fullmatch(path) for each in self._exclude)

    @cached_property
    def _include(self) -> list[re.Pattern[str]]:
        return [_compiled(each) for each in self.include]

    @cached_property
    def _exclude(self) -> list[re.Pattern[str]]:
        return [_compiled(each) for each in self.exclude]


def patterns_in(text: str) -> tuple[str, ...]:
    """The patterns of a setting: separated by newlines or commas, as workflows write them."""
    return tuple(filter(None, (each.strip() for each in re.split(r"[\n,]", text))))


_TOKENS = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _compiled(pattern: str) -> re.Pattern[str]:
    plain = pattern.removeprefix("./").rstrip("/")
    if plain in (".", ""):
        plain = "**"
    parts = [_MEANING.get(token) or re.escape(token) for token in _TOKENS.findall(plain)]
    return re.compile(f"{''.join(parts)}(?:/.*)?", re.DOTALL)
