"""Real git repositories that the tests build."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAMES = '''\
"""Names."""


def initials(names):
    """The first letters, in order."""
    return [name[0] for name in names if name]


def total(prices):
    """The sum."""
    result = 0
    for price in prices:
        result += price
    return result
'''
COMMON = '''

def common(left, right):
    """The names that both lists have, in the order of the left."""
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result
'''
TESTS = """\
from shop.names import initials, total


def test_initials():
    assert initials(["ab", "", "c"]) == ["a", "c"]
    assert initials(["de"]) == ["d"]


def test_total():
    assert total([1, 2, 3]) == 6
    assert total(list(range(4000))) == 7998000
    assert total(list(range(3000))) == 4498500
"""
COMMON_TESTS = """

from shop.names import common

LEFT = [f"name-{number}" for number in range(900)]


def test_common():
    right = [f"name-{number * 3}" for number in range(700)]
    assert len(common(LEFT, right)) == 300
    assert common(LEFT[:500], right[:300]) == [name for name in LEFT[:500] if name in set(right[:300])]
    assert common(["a", "b"], ["b"]) == ["b"]
"""
BASE = {
    "shop/__init__.py": "",
    "shop/names.py": NAMES,
    "tests/test_names.py": TESTS,
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}
WITH_COMMON = {"shop/names.py": NAMES + COMMON, "tests/test_names.py": TESTS + COMMON_TESTS}
SLOW_TOTAL = NAMES.replace(
    """\
    for price in prices:
        result += price
    return result
""",
    """\
    for number in range(len(prices)):
        result = sum(prices[: number + 1])
    return result
""",
)


@dataclass(frozen=True)
class Repository:
    """A repository in a folder."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, files: Mapping[str, str | None] | None = None) -> Repository:
        """A repository whose branch `main` has one commit."""
        folder.mkdir(parents=True)
        made = cls(folder)
        made.git("init", "-q", "-b", "main")
        made.commit(BASE if files is None else files, "Begin")
        return made

    def git(self, *words: str) -> str:
        """Run git; gives what it prints."""
        identity = ("-c", "user.name=A Developer", "-c", "user.email=developer@example.org")
        done = subprocess.run(
            ["git", *identity, *words], cwd=self.folder, check=True, capture_output=True, text=True, timeout=60
        )
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str | None], message: str = "Change") -> str:
        """Write these files (None: delete it) and commit everything; gives the commit."""
        for name, text in files.items():
            place = self.folder / name
            if text is None:
                place.unlink()
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head

    def branch(self, name: str, start: str = "HEAD") -> None:
        """Make a branch and check it out."""
        self.git("checkout", "-q", "-b", name, start)

    @property
    def head(self) -> str:
        """The commit that is checked out."""
        return self.git("rev-parse", "HEAD")
