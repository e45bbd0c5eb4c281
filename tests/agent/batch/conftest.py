"""A small real project in a git repository: slow functions in two files, and tests for them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

NAMES = '''\
"""Names that two lists share."""

import os


def common(left, right):
    """Keep the order of the left."""
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


def tokens(left, right):
    """Differs each time, so that nothing can be judged on it."""
    found = [name for name in left if name in right]
    return found, os.urandom(8)


class Shelf:
    """Books in the order in which they came."""

    def __init__(self, titles):
        self.titles = titles

    @property
    def size(self):
        return len(self.titles)

    def missing(self, wanted):
        result = []
        for title in wanted:
            if title not in self.titles:
                result.append(title)
        return result


async def later():
    return 1


def never_called():
    return 0
'''
TEXTS = '''\
"""Tables as text."""

from shop.names import common


def table(rows):
    """One line a row."""
    text = ""
    for row in rows:
        line = ""
        for cell in row:
            line = line + str(cell) + ";"
        text = text + line + "\\n"
    return text


def shared(rows, others):
    """Calls `common` again and again."""
    return [common(row, others) for row in rows]
'''
TESTS = """\
import asyncio

from shop.names import Shelf, common, later, tokens
from shop.texts import shared, table

LEFT = [f"name-{number}" for number in range(900)]
RIGHT = [f"name-{number * 3}" for number in range(700)]


def test_common():
    assert len(common(LEFT, RIGHT)) == 300
    assert common(LEFT[:500], RIGHT[:300]) == [name for name in LEFT[:500] if name in set(RIGHT[:300])]
    assert common(["a", "b"], ["b"]) == ["b"]


def test_tokens():
    assert len(tokens(LEFT, RIGHT)[0]) == 300


def test_missing():
    shelf = Shelf(RIGHT)
    assert shelf.size == 700
    assert len(shelf.missing(LEFT)) == 600
    assert len(shelf.missing(LEFT[:600])) == 400


def test_later():
    assert asyncio.run(later()) == 1
"""
MORE_TESTS = """\
from shop.texts import shared, table


def test_table():
    rows = [[number, str(number), number * 2] for number in range(40)]
    assert table(rows).count("\\n") == 40
    assert table(rows[:10]).startswith("0;0;0;")


def test_shared():
    assert shared([["a", "b"], ["c"]], ["a", "c"]) == [["a"], ["c"]]
"""
APP = """\
import sys

from shop.texts import table


def numbered(count):
    return [[number, number * number] for number in range(count)]


def main():
    print(len(table(numbered(int(sys.argv[1])))), len(table(numbered(50))), len(table([])))


main()
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Give the folder of the repository."""
    folder = tmp_path / "project"
    files = {
        "shop/__init__.py": "",
        "shop/names.py": NAMES,
        "shop/texts.py": TEXTS,
        "shop/made_pb2.py": "def common(left, right):\n    return 1\n",
        "shop/tests/test_inside.py": "def test_inside():\n    assert True\n",
        "tests/test_names.py": TESTS,
        "tests/test_texts.py": MORE_TESTS,
        "app.py": APP,
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=shop", "-c", "user.email=shop@example.org", "commit", "-qm", "shop")
    return folder


def git(folder: Path, *words: str) -> str:
    """Run git there."""
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
