"""The function that is worth optimising for memory, when the user names none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.harness_answers import MemoryProfile
from afterburner.agent.inputs.hottest import NOTICEABLE_BYTES, largest_holder

if TYPE_CHECKING:
    from .conftest import Project

WORK = '''\
def sample(count):
    """What it makes is its product, and more than `total` needs meanwhile."""
    return ["line %d of the sample that is much longer than what is made of it " % n * 20 for n in range(count)]

def parse(line):
    return {"length": len(line), "first": line[:1]}

def total(lines):
    """
    >>> total(["x"] * 20000)
    20000
    """
    rows = [parse(line) for line in lines]
    return sum(row["length"] for row in rows)

def busy(rounds):
    return sum(n * n % 7 for n in range(rounds))

def main(count, rounds):
    lines = sample(count)
    busy(rounds)
    return total(lines)
'''
MAIN = '\nif __name__ == "__main__":\n    main(2000, 300000)\n'

KINDS = """\
import asyncio
import functools

def fill(count):
    return [str(n) * 9 for n in range(count)]

class Sheet:
    def __init__(self):
        self.count = 20000

    @staticmethod
    def height(count):
        return len([str(n) * 9 for n in range(count)])

    def kept(self):
        self.rows = [str(n) * 9 for n in range(self.count)]

@functools.lru_cache(maxsize=None)
def cached(count):
    return len([str(n) * 9 for n in range(count)])

def lazy(count):
    rows = [str(n) * 9 for n in range(count)]
    for n in range(3):
        yield len(rows) + n

async def waiting(count):
    rows = [str(n) * 9 for n in range(count)]
    await asyncio.sleep(0)
    return len(rows)

def deep(depth):
    rows = [str(n) * 9 for n in range(1000)]
    return len(rows) + (deep(depth - 1) if depth else 0)

def keeping(count):
    chunks = [fill(1000) for _ in range(count // 1000)]
    return len(chunks)

def handing_on(count):
    rows = fill(count)
    return len(rows), flat(5000)

def flat(count):
    return len([str(n) * 9 for n in range(count)])

def failing(count):
    rows = [str(n) * 9 for n in range(count)]
    raise ValueError(len(rows))

def nested(count):
    def inner():
        return len([str(n) * 9 for n in range(count)])
    return inner()
"""


@pytest.mark.parametrize(("objective", "expected"), [("memory", "total"), ("integral", "total"), ("time", "busy")])
def test_what_a_function_makes_is_not_held_against_it(project: Project, objective: str, expected: str) -> None:
    project.write("work.py", WORK + MAIN)
    assert project.hottest("work.py", objective) == expected


@pytest.mark.nightly
def test_calls_cases_doctests_and_tests_are_workloads_too(project: Project) -> None:
    project.write("work.py", WORK)
    assert project.hottest("work.py", "memory") == "total"
    calls = project.write("calls.py", "total(['x'] * 20000)\nbusy(100000)\n")
    assert project.hottest("work.py", "memory", calls=calls) == "total"
    project.write("work.py", WORK.replace(">>>", "...") + "\nif __name__ == '__main__':\n    total(input().split())\n")
    project.write("cases/a.out", "")
    folder = project.write("cases/a.in", "x " * 20000).parent
    assert project.hottest("work.py", "memory", cases=folder) == "total"
    project.write("work.py", WORK.replace(">>>", "..."))
    project.write("test_work.py", "from work import main\n\ndef test_main():\n    assert main(2000, 10)\n")
    assert project.hottest("work.py", "memory") == "total"


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("Sheet.height(20000)", "Sheet.height"),
        ("cached(20000)", "cached"),
        ("assert list(lazy(20000)) == [20000, 20001, 20002]; flat(2000)", "lazy"),
        ("assert asyncio.run(waiting(20000)) == 20000; flat(2000)", "waiting"),
        ("deep(20); flat(5000)", "deep"),
        ("try:\n    failing(20000)\nexcept ValueError:\n    flat(2000)", "failing"),
        ("keeping(20000); flat(2000)", "keeping"),
        ("handing_on(20000)", "flat"),
        ("nested(20000); flat(2000)", "nested"),
        ("sheets = [Sheet() for _ in range(3)]\nfor sheet in sheets:\n    sheet.kept()\nflat(5000)", "flat"),
    ],
)
def test_functions_of_every_kind(project: Project, calls: str, expected: str) -> None:
    project.write("kinds.py", KINDS)
    assert project.hottest("kinds.py", "memory", calls=project.write("calls.py", calls + "\n")) == expected


@pytest.mark.nightly
def test_an_endless_workload_is_metered_as_far_as_it_goes(project: Project) -> None:
    project.limits = replace(project.limits, wall_time_s=20.0, cpu_time_s=5.0)
    project.write("work.py", WORK + '\nif __name__ == "__main__":\n    while True:\n        main(2000, 3)\n')
    assert project.hottest("work.py", "memory") == "total"


def test_where_nothing_is_held_time_decides(project: Project) -> None:
    project.write("work.py", WORK + '\nif __name__ == "__main__":\n    main(3, 300000)\n')
    assert project.hottest("work.py", "memory") == "busy"


def test_a_function_that_only_keeps_what_it_is_given_is_better_than_none(project: Project) -> None:
    text = "def load(n):\n    return list(range(n, 0, -1))\n\ndef show(n):\n    rows = load(n)\n    return len(rows)\n"
    project.write("work.py", text + "\nif __name__ == '__main__':\n    show(50000)\n")
    assert project.hottest("work.py", "memory") == "show"


def test_of_about_the_same_the_innermost_is_taken() -> None:
    held = NOTICEABLE_BYTES * 100
    caller = MemoryProfile("caller", held, held, ("helper",))
    helper = MemoryProfile("helper", 10, 10, ("worker",))
    worker = MemoryProfile("worker", held * 6 // 10, held * 6 // 10, ())
    names = ["caller", "helper", "worker"]
    assert largest_holder([caller, helper, worker], names) == "worker"
    assert largest_holder([caller, helper, replace(worker, transient_bytes=held * 4 // 10)], names) == "caller"
    assert largest_holder([caller, helper, replace(worker, callees=("caller",))], names) == "caller"
    assert largest_holder([worker, MemoryProfile("forged", held, held, ())], names) == "worker"
    little = NOTICEABLE_BYTES - 1
    assert largest_holder([replace(caller, transient_bytes=little), helper], names) == "caller"
    assert largest_holder([replace(caller, transient_bytes=little, kept_bytes=little), helper], names) is None
    assert largest_holder([], names) is None
