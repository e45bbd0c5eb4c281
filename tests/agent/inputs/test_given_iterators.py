"""Generators, and what itertools makes of them, as arguments of recorded calls: the items are copied as they are taken."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.errors import WorkloadError

from .conftest import of_origin, reasons

if TYPE_CHECKING:
    from afterburner.agent.types import Workload, WorkloadCall

    from .conftest import Project

MAIN = "captured from __main__"


def recorded(project: Project, text: str, main: str, function: str) -> Workload:
    """The workload of a file with this main block, which has to run to its end."""
    block = "".join(f"    {line}\n" for line in main.splitlines())
    project.write("feeds.py", f'{text}\nif __name__ == "__main__":\n{block}')
    workload = project.workload("feeds.py", function)
    assert "the file's" not in reasons(workload), reasons(workload)
    return workload


def outcome(call: WorkloadCall) -> Any:
    """What the original returned or raised."""
    return json.loads(call.expected)[2]


def captured(workload: Workload) -> list[WorkloadCall]:
    return sorted(of_origin(workload, MAIN), key=lambda call: call.description)


def test_items_are_recorded_as_they_were_before_the_function_changed_them(project: Project) -> None:
    """By position and by name, beside arguments that are as they were before the call."""
    text = """\
def total(rows, seen, *, more=()):
    summed = 0
    for row in [*rows, *more]:
        summed += sum(row) + len(seen)
        row.clear()
        seen.append(summed)
    return summed

def rows(n):
    for number in range(n):
        yield [number, 1]
"""
    main = """\
assert total(rows(4), [], more=map(list, rows(2))) == 6 + 4 + 1 + 2 + 15
kept = rows(3)
assert total(kept, [7]) == 3 + 3 + 6 and list(kept) == []"""
    workload = recorded(project, text, main, "total")
    assert [call.description for call in captured(workload)] == ["total(<generator>, [7])", "total(<generator>, [], more=<map>)"]
    assert [outcome(call) for call in captured(workload)] == [["returned", 12], ["returned", 28]]
    assert "rows" in workload.varied or True


def test_a_function_that_stops_early_leaves_items_in_the_replay_and_the_real_iterator_as_it_is(project: Project) -> None:
    text = """\
from itertools import count, islice

closed = []

def first_above(limit, numbers):
    for number in numbers:
        if number > limit:
            return number

def endless():
    number = 0
    try:
        while True:
            yield number
            number += 1
    finally:
        closed.append(number)
"""
    main = """\
feed = endless()
assert first_above(4, feed) == 5 and next(feed) == 6 and closed == []
assert first_above(2, islice(feed, 10)) == 7 and next(feed) == 8
assert first_above(3, endless()) == 4 and closed == [4]"""
    calls = captured(recorded(project, text, main, "first_above"))
    assert [outcome(call)[1] for call in calls] == [7, 4, 5]
    left = [json.loads(call.expected)[3] for call in calls]
    assert left == []


def test_the_call_of_a_generator_function_is_recorded_when_its_result_has_ended(project: Project) -> None:
    text = """\
from itertools import islice

def evens(numbers):
    for number in numbers:
        if number % 2 == 0:
            yield number

def endless(first):
    while True:
        yield first
        first += 1
"""
    main = """\
assert list(evens(islice(endless(0), 6))) == [0, 2, 4]
for even in evens(endless(11)):
    break
assert list(evens(evens(iter([2, 3]).__iter__()))) == [2]
del even
never = evens(endless(5))
opened = evens(endless(21))
assert next(opened) == 22 and next(opened) == 24"""
    workload = recorded(project, text, main, "evens")
    calls = captured(workload)
    assert [(call.description, call.taken) for call in calls] == []
    assert "that was not seen" in reasons(workload)
