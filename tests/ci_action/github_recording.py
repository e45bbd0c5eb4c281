"""What the stand-in for GitHub remembers of the requests that it got. It keeps no token."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SECRET_HEADERS = frozenset({"authorization", "cookie"})


@dataclass
class Recorded:
    """One request, and the status it was answered with: 0 where the connection was dropped."""

    method: str
    path: str
    query: Mapping[str, Sequence[str]]
    headers: Mapping[str, str]  # their names in lower case
    body: Any
    authorized: bool
    status: int = 0


def without_secrets(headers: Mapping[str, str]) -> dict[str, str]:
    """Give headers under names in lower case, but those that prove who asks."""
    return {name.lower(): value for name, value in headers.items() if name.lower() not in _SECRET_HEADERS}


def sent(requests: Sequence[Recorded], method: str, path: str) -> list[Recorded]:
    """Give the requests of one method whose path a pattern finds."""
    return [each for each in requests if each.method == method and re.search(path, each.path)]
