"""Generators, and what itertools makes of them, as arguments of recorded calls: items are copied as they are taken."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.verification.made_inputs import Inputs
from afterburner.sandbox.driver.call_blobs import load_call

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


def items_of(call: WorkloadCall) -> list[Any]:
    """The arguments, with what is in each that can be gone through."""
    held = load_call(call.blob, lay_out=False)
    return [list(each) if hasattr(each, "__iter__") else each for each in (*held.args, *held.kwargs.values())]


def captured(workload: Workload) -> list[WorkloadCall]:
    """The recorded calls by what they say of themselves, and of those that say the same in the order of the calls."""
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
    described = ["total(<generator>, [7])", "total(<generator>, [], more=<map>)"]
    assert [call.description for call in captured(workload)] == described
    assert [outcome(call) for call in captured(workload)] == [["returned", 12], ["returned", 28]]
    assert items_of(captured(workload)[1]) == [[[0, 1], [1, 1], [2, 1], [3, 1]], [], [[0, 1], [1, 1]]]


def test_a_function_that_stops_early_leaves_items_in_the_replay_and_in_the_real_iterator(
    project: Project,
) -> None:
    text = """\
from itertools import islice

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
    assert [items_of(call)[1] for call in calls] == [[7, 7], [0, 1, 2, 3, 4, 0, 1, 2], [0, 1, 2, 3, 4, 5, 0, 1, 2]]
    left = [json.loads(call.expected)[3][2] for call in calls]
    assert [each[3] for each in left] == [["items", 7], ["items", 0, 1, 2], ["items", 0, 1, 2]]


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
assert list(evens(evens(iter([2, 3])))) == [2]
del even
never = evens(endless(5))
opened = evens(endless(21))
assert next(opened) == 22 and next(opened) == 24"""
    workload = recorded(project, text, main, "evens")
    found = {(call.description, call.taken): items_of(call)[0] for call in captured(workload)}
    assert list(found.values()) == [[11, 12, 11, 12], [2], [21, 22, 23, 24, 21, 22, 23], [0, 1, 2, 3, 4, 5], [2, 3]]
    of_inner = ("evens(iter([2, 3]))", None)
    generator = "evens(<generator>)"
    assert list(found) == [(generator, 1), (generator, None), (generator, 2), ("evens(<islice>)", None), of_inner]
    assert "until the result is used, and that was not seen" in reasons(workload)


def test_a_generator_that_stands_in_for_another_passes_everything_on(project: Project) -> None:
    text = """\
log = []

def talk(first, second):
    said = [next(first), first.send("a"), first.throw(KeyError("b"))]
    first.close()
    try:
        while True:
            said.append(next(second))
    except StopIteration as end:
        said.append(end.value)
    return said

def echo():
    got = "start"
    try:
        while True:
            try:
                got = yield got
            except KeyError as error:
                got = str(error)
    finally:
        log.append("closed")

def short():
    yield 1
    return "the end"
"""
    main = """\
import inspect
assert talk(echo(), short()) == ["start", "a", "'b'", 1, "the end"] and log == ["closed"]
same = short()
assert list(talk_both(same, same)) == [(1, None)]"""
    both = "\ndef talk_both(one, other):\n    return [(each, next(other, None)) for each in one]\n"
    assert len(captured(recorded(project, text + both, main, "talk_both"))) == 1


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        (
            "threading.Lock() for _ in range(3)",
            "an item that the function takes of an iterator: TypeError: cannot pickle",
        ),
        (
            "b'x' * (5 << 20) for _ in range(2)",
            "the items that the function takes of an iterator are too large together",
        ),
        ("number for number in (1, 2)", None),
    ],
)
def test_a_call_whose_items_cannot_be_copied_is_left_out_and_works_as_ever(
    project: Project, items: str, reason: str | None
) -> None:
    text = "import threading\n\ndef count(items, more=()):\n    return sum(1 for _ in items)\n"
    main = f"made = [{items}]\nassert count((each for each in made)) == len(made)\ncount([])"
    workload = recorded(project, text, main, "count")
    assert [call.description for call in captured(workload)] == ["count(<generator>)", "count([])"][
        reason is not None :
    ]
    assert (reason is None) == ("arguments cannot be copied" not in reasons(workload))
    assert reason is None or f"arguments cannot be copied: {reason}" in reasons(workload)


def test_an_open_file_stays_one_and_what_a_lazy_result_takes_is_not_seen(project: Project) -> None:
    text = "def upper(lines):\n    return map(str.upper, lines)\n"
    main = """\
with open(__file__) as file:
    assert next(upper(file)).startswith("DEF")
assert list(upper(each for each in "ab")) == ["A", "B"]
upper(["c"])"""
    workload = recorded(project, text, main, "upper")
    assert [call.description for call in captured(workload)] == ["upper(<TextIOWrapper>)", "upper(['c'])"]
    assert "until the result is used" in reasons(workload)


@pytest.mark.parametrize("hint", ["", ": Iterator[int]", ": Iterable[int]"])
def test_inputs_made_from_such_a_call_vary_the_items(project: Project, hint: str) -> None:
    text = f"""\
from typing import Iterable, Iterator

def running(numbers{hint}, start):
    out = [start]
    for number in numbers:
        out.append(out[-1] + number)
        if number < 0:
            break
    return out
"""
    workload = recorded(project, text, "running((n * n for n in range(30)), 1)", "running")
    target = project.target("feeds.py", "running")
    inputs = Inputs(project.sandbox, target, project.environment(target), project.limits, workload.calls, seed=1)
    made = next(inputs.rounds(Deadline(60))).calls
    items = {tuple(items_of(call)[0]) for call in made if not call.is_probing}
    assert inputs.unvaried == ()
    assert len(items) > 20
    assert {type(each) for of_call in items for each in of_call} == {int}
    assert all(call.description.startswith("running(iter(") for call in made if not call.is_probing)
