"""Of a generator that the function returns, it is recorded how many items its caller takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.harness_answers import parse_answer

from .conftest import of_origin, reasons

if TYPE_CHECKING:
    from .conftest import Project

MAIN = "captured from __main__"
HEAD = """\
from itertools import islice

def squares(n):
    for number in range(n):
        yield number * number

if __name__ == "__main__":
"""


CALL = {
    "kind": "call",
    "blob": "YmxvYg==",
    "origin": "doctest",
    "description": "f(1)",
    "ended": "returned",
    "number": 3,
    "cpu_time_s": 0.25,
}
USE = {"kind": "taken", "number": 3, "items": 4, "exhausted": False}


def taken(project: Project, main: str, head: str = HEAD, function: str = "squares") -> dict[str, int | None]:
    """What is known of the captured calls, by their argument as it is written."""
    project.write("lazy.py", head + "".join(f"    {line}\n" for line in main.splitlines()))
    workload = project.workload("lazy.py", function)
    assert "the file's" not in reasons(workload), reasons(workload)
    return {each.description.partition("(")[2][:-1]: each.taken for each in of_origin(workload, MAIN)}


def test_items_are_counted_as_far_as_they_are_taken(project: Project) -> None:
    main = """\
next(squares(50))
assert list(islice(squares(60), 3)) == [0, 1, 4]
for square in squares(70):
    if square > 100:
        break
del square"""
    assert taken(project, main) == {"50": 1, "60": 3, "70": 12}


def test_a_caller_that_takes_all_is_like_one_of_whom_nothing_is_known(project: Project) -> None:
    main = """\
assert sum(squares(50)) == 40425
every = list(squares(60))
never_begun = squares(70)"""
    assert taken(project, main) == {"50": None, "60": None, "70": None}


def test_what_is_open_when_the_program_ends_counts_nearly_as_far_as_it_was_taken(project: Project) -> None:
    """Nobody ends it, and nothing of ours runs after a program that kills itself."""
    main = """\
import os
keep = [squares(50), squares(60), squares(900)]
for open_one, items in zip(keep, (1, 2, 500)):
    for _ in range(items):
        next(open_one)
os.kill(os.getpid(), 9)"""
    found = taken(project, main)
    assert (found["50"], found["60"]) == (1, 2)
    assert 500 / 1.5 <= (found["900"] or 0) <= 500


def test_a_generator_that_is_followed_behaves_as_ever(project: Project) -> None:
    head = """\
import inspect

log = []

def replies(first):
    got = first
    try:
        while got is not None:
            try:
                got = yield got
            except KeyError as error:
                got = "caught %s" % error
    finally:
        log.append("closed")
    return "the end"

def outer(first):
    result = yield from replies(first)
    log.append(result)

if __name__ == "__main__":
"""
    main = """\
one = replies("a")
assert inspect.isgenerator(one) and one.__name__ == "replies", one
assert inspect.getgeneratorstate(one) == "GEN_CREATED" and log == []
try:
    one.send("early")
except TypeError:
    pass
assert next(one) == "a" and one.send("b") == "b" and one.throw(KeyError("c")) == "caught 'c'"
one.close()
assert log == ["closed"], log
two = outer("d")
assert next(two) == "d"
try:
    two.send(None)
except StopIteration:
    pass
assert log == ["closed", "closed", "the end"], log
three = replies("e")
next(three)
try:
    three.throw(ValueError("f"))
except ValueError as error:
    assert str(error) == "f" and error.__context__ is None and error.__cause__ is None
del three
four = replies("g")
next(four)
del four
assert len(log) == 5, log"""
    assert taken(project, main, head, "replies") == {"'a'": 3, "'d'": None, "'e'": None, "'g'": 1}


def test_a_recursion_reaches_as_deep_as_before_and_its_inner_calls_are_none_from_outside(project: Project) -> None:
    head = """\
def down(number):
    yield number
    if number:
        yield from down(number - 1)

if __name__ == "__main__":
"""
    main = """\
assert sum(down(900)) == 405450
next(down(7))"""
    assert taken(project, main, head, "down") == {"900": None, "7": 1}


@pytest.mark.parametrize(
    ("told", "taken", "damaged"),
    [
        ([USE, {**USE, "items": 6}], 6, 0),
        ([USE, {**USE, "exhausted": True}], None, 0),
        ([{**USE, "number": 4}], None, 0),
        ([USE, {**USE, "items": -1}, {**USE, "exhausted": "no"}, {**USE, "number": "3"}], 4, 3),
    ],
)
def test_what_is_told_of_a_call_last_counts_if_it_is_in_the_form(
    told: list[dict[str, object]], taken: int | None, damaged: int
) -> None:
    payloads = [json.dumps(record).encode() for record in (CALL, *told)]
    answer = parse_answer(b"".join(b"R" + len(each).to_bytes(4, "big") + each for each in payloads))
    assert ([call.taken for call in answer.calls], answer.damaged) == ([taken], damaged)
