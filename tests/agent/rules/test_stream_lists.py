"""generator: lists that are gone through once are not made."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from afterburner.agent.rules.patterns.stream_lists import StreamLists

FILE = """
import csv

def parse(line):
    return line.rstrip().split(",")

def total(path):
    with open(path) as file:
        rows = [parse(line) for line in file.readlines()]

    # the head is left out
    total = 0
    for row in rows[1:]:
        total += int(row[1])
    return total

def largest(path):
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    amounts = [int(row["amount"]) for row in rows]
    return max(amounts), path
"""

CHAIN = """
def report(words, limit):
    lower = [word.lower() for word in words]
    long = [word for word in lower if len(word) > limit]
    for number, word in enumerate(long):
        print(number, word)
    sizes = tuple(len(word) for word in words)
    total = sum(sizes)
    for word in [each.strip() for each in words if each]:
        total += len(word)
    return total, len([word for word in words if word > "m"]), sorted([word[::-1] for word in words], reverse=True)
"""

LEFT_ALONE = """
def f(xs):
    ys = [x + 1 for x in xs]
    for y in ys:
        xs.append(y)
---
def f(xs):
    ys = [x + 1 for x in xs]
    xs.pop()
    return sum(ys)
---
def f(xs):
    ys = [x + 1 for x in xs]
    for y in ys:
        if y > 3:
            break
---
def f(xs):
    ys = [x + 1 for x in xs]
    return any(ys)
---
def f(xs):
    ys = [print(x) for x in xs]
    for y in ys:
        print(y)
---
def f(xs, k):
    ys = [x + k for x in xs]
    k = 2
    return sum(ys)
---
def f(xs):
    ys = [x + 1 for x in xs]
    while xs:
        for y in ys:
            print(y)
---
def f(xs):
    ys = [x + 1 for x in xs]
    for y in ys:
        yield y
---
def f(xs):
    ys = [x + 1 for x in xs]
    return sum(ys) / len(ys)
---
def f(xs):
    ys = [x + 1 for x in xs]
    return (y for y in ys)
---
def f(file):
    for line in file.readlines():
        print(line, file.tell())
---
def f(file):
    for line in file.readlines():
        print(line)
    return file.tell()
---
import sys
def f():
    lines = sys.stdin.readlines()
    for line in lines:
        print(line, input())
    for line in sys.stdin.readlines():
        print(line)
---
def f(path, lock):
    with lock:
        ys = [x + 1 for x in path]
    return sum(ys)
---
async def f(xs):
    return sum([await x for x in xs]), sum([y async for y in xs])
---
def f(xs):
    return ",".join([x for x in xs]), max([x for x in xs], 3), any([x for x in xs])
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text("name,amount\na,1\nb,22\nc,-3\n")
    return path


@pytest.mark.parametrize("function", ["total", "largest"])
def test_lines_are_read_one_by_one_while_the_file_is_open(
    apply: Callable[..., Any], agree: Callable[..., None], table: Path, function: str
) -> None:
    after = apply(StreamLists(), FILE, function)
    if function == "total":
        assert "rows = (parse(line) for line in file)\n" in after
        assert "        # the head is left out\n" in after
        assert "        for row in itertools.islice(rows, 1, None):\n" in after
    else:
        assert "rows = csv.DictReader(f)\n" in after
        assert "        return max(amounts), path\n" in after
    broken = table.with_name("broken.csv")
    broken.write_text("name,amount\na\n")
    empty = table.with_name("empty.csv")
    empty.touch()
    agree(FILE, after, function, [(str(path),) for path in (table, broken, empty, table.parent / "none.csv")])


def test_lists_made_of_each_other_are_all_streamed(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(StreamLists(), CHAIN, "report")
    assert "lower = (word.lower() for word in words)" in after
    assert "long = (word for word in lower if len(word) > limit)" in after
    assert "sizes = (len(word) for word in words)" in after
    assert "in (each.strip() for each in words if each):" in after
    assert 'sum(1 for word in words if word > "m")' in after
    assert "sorted((word[::-1] for word in words), reverse=True)" in after
    rng = random.Random(0)
    calls = [([rng.choice(["Ab", "", "xyz ", "N"]) for _ in range(rng.randint(0, 9))], 1) for _ in range(30)]
    agree(CHAIN, after, "report", [*calls, (None, 1), ("abc", 0)])


def test_a_reader_with_a_name_is_gone_through_itself(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    source = """
import csv
import io

def total(text):
    reader = csv.DictReader(io.StringIO(text))
    rows = list(reader)
    amounts = [int(row["amount"]) for row in rows]
    return sum(amounts)
"""
    after = apply(StreamLists(), source, "total")
    agree(source, after, "total", [("name,amount\na,1\nb,2\n",), ("",), ("name,amount\na\n",)])
    assert "list(reader)" not in after
    used_later = source.replace("return sum(amounts)", "return sum(amounts), reader.line_num")
    assert "rows = list(reader)" in (apply(StreamLists(), used_later, "total") or used_later)


def test_a_whole_program_is_treated(apply: Callable[..., Any]) -> None:
    after = apply(StreamLists(), "import sys\n\nfor line in sys.stdin.readlines():\n    print(line[::-1])\n")
    assert "for line in sys.stdin:" in after


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_lists_are_left_alone_when_it_could_be_noticed(apply: Callable[..., Any], source: str) -> None:
    assert apply(StreamLists(), source, "f") is None
