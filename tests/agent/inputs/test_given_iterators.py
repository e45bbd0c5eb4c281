"""Generators, and what itertools makes of them, as arguments of recorded calls: items are copied as they are taken."""

from __future__ import annotations

import json
import types
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.inside.call_recorder import MAX_CALLS, Recorder
from afterburner.agent.judge.verification.made_inputs import Inputs
from afterburner.sandbox.driver.call_blobs import dump_call, load_call

from .conftest import of_origin, reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.types import Workload, WorkloadCall

    from .conftest import Project

MAIN = "captured from __main__"
LATER = "arguments cannot be copied: the result takes the iterator's items later, where they cannot be recorded"
MISSING = "arguments cannot be copied: the function uses `%s` of a generator, which a replay does not have"
LIVE = """\
import contextlib
import inspect

log = []

def average():
    total = count = 0
    try:
        got = yield
        while True:
            total, count = total + got, count + 1
            try:
                got = yield total / count
            except KeyError as error:
                log.append(str(error))
                got = 0
    finally:
        log.append("closed")

def primed():
    made = average()
    next(made)
    return made

def is_closed(generator):
    return inspect.getgeneratorstate(generator) == "GEN_CLOSED"

"""


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
    assert LATER in reasons(workload)


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
    ("body", "main", "missing"),
    [
        (
            "return [to.send(each) for each in (2, 4)]",
            "assert use(primed()) == [2, 3] and log == ['closed']",
            "send",
        ),
        (
            "return to.send(2), to.throw(KeyError('a')), to.throw(KeyError, KeyError('b'), None)",
            """assert use(primed()) == (2, 1, 2 / 3) and log == ["'a'", "'b'", "closed"]""",
            "send",
        ),
        (
            "return to.throw(ValueError('c'))",
            "live = average()\nwith contextlib.suppress(ValueError):\n    use(live)\nassert is_closed(live)",
            "throw",
        ),
        (
            "to.close()",
            "fresh, live = average(), primed()\nuse(fresh)\nuse(live)\nassert is_closed(fresh) and log == ['closed']",
            "close",
        ),
        (
            "return to.gi_code.co_name, inspect.getgeneratorstate(to), to.__name__",
            "assert use(primed()) == ('average', 'GEN_SUSPENDED', 'average')",
            "gi_code",
        ),
        (
            "return (sent for sent in [to.send(3), to.close()])",
            "live = primed()\nassert list(use(live)) == [3, None] and log == ['closed']",
            "send",
        ),
        (
            "return (to.send(each) for each in (3, 5))",
            "live = primed()\nassert list(use(live)) == [3, 4] and log == [] and live.send(7) == 5",
            "send",
        ),
    ],
)
def test_a_call_that_uses_more_of_a_generator_than_its_items_is_left_out_and_works_as_ever(
    project: Project, body: str, main: str, missing: str
) -> None:
    text = f"{LIVE}def use(to):\n    if to is None:\n        return 0\n    {body}\n"
    workload = recorded(project, text, f"{main}\nuse(None)", "use")
    assert [call.description for call in captured(workload)] == ["use(None)"]
    assert MISSING % missing in reasons(workload)


def test_a_stand_in_that_the_function_keeps_closes_the_real_generator_when_it_is_told_to_and_only_then(
    project: Project,
) -> None:
    text = LIVE + "kept = []\n\ndef keep(feed):\n    kept[:] = [feed]\n    return len(kept)\n"
    main = """\
import gc
first, second = primed(), primed()
assert keep(first) == 1 and kept[0].send(4) == 4
kept[0].close()
assert log == ["closed"] and next(first, None) is None
assert keep(second) == 1 and kept[0].send(4) == 4
kept.clear()
gc.collect()
assert log == ["closed"] and second.send(8) == 6"""
    recorded(project, text, main, "keep")


def test_a_generator_lives_as_long_as_without_a_recorder(project: Project) -> None:
    """Also where the result that holds it is never used, or holds it with `yield from`."""
    text = LIVE + "def through(feed):\n    yield from feed\n"
    main = """\
unused = through(primed())
del unused
assert log == ["closed"]
left = through(number for number in range(9))
assert next(left) == 0
del left
inner = (number for number in range(7))
left = through(inner)
assert next(left) == 0
left.close()
assert next(inner, None) is None"""
    workload = recorded(project, text, main, "through")
    assert [items_of(call) for call in captured(workload)] == [[[0, 0]]]
    assert LATER in reasons(workload)
    assert "which a replay" not in reasons(workload)


def test_only_so_many_results_are_followed_at_a_time_and_none_is_told_of_whose_call_was_not_written() -> None:
    def each(rows: Iterator[int]) -> Iterator[int]:
        yield from rows

    records: list[dict[str, Any]] = []
    recorder = Recorder("each", lambda args, kwargs: dump_call(args, kwargs, {}), records.append)
    module = types.ModuleType("feeds")
    vars(module)["each"] = each
    recorder.install(module)
    kept = [module.each(row for row in [number // 2]) for number in range(2 * MAX_CALLS)]
    assert [next(result) for result in kept] == [number // 2 for number in range(2 * MAX_CALLS)]
    recorder.finish()
    written = [record["number"] for record in records if record["kind"] == "call"]
    assert written[:4] == [1, 3, 5, 7]
    assert len(written) == recorder.written
    assert max(written) <= MAX_CALLS
    assert {record["number"] for record in records if record["kind"] == "taken"} == set(written)


def test_a_function_is_given_and_gives_back_what_looks_like_the_real_iterator(project: Project) -> None:
    text = """\
import copy
import itertools
import types
import weakref
from collections.abc import Generator

def second(rows):
    if isinstance(rows, types.GeneratorType):
        assert isinstance(rows, Generator) and iter(rows) is rows and weakref.ref(rows)() is rows
        assert repr(rows).startswith("<generator object")
    elif isinstance(rows, map):
        assert not hasattr(rows, "send")
    else:
        rows = copy.copy(rows)
    next(rows)
    return rows

def numbers():
    yield from range(9)

def started(rows):
    got = yield 1
    while True:
        got = yield got

def replies(rows):
    made = started(rows)
    next(made)
    return made
"""
    main = """\
given = numbers()
assert second(given) is given and next(given) == 1
given = map(lambda number: number + 5, range(9))
assert second(given) is given and next(given) == 6
forked, _ = itertools.tee(numbers())
assert next(second(forked)) == 1 and next(forked) == 0"""
    workload = recorded(project, text, main, "second")
    assert [call.description for call in captured(workload)] == ["second(<generator>)", "second(<map>)"]
    main = "for given in (numbers(), []):\n    assert replies(given).send(5) == 5"
    workload = recorded(project, text, main, "replies")
    assert [call.description for call in captured(workload)] == ["replies([])"]


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
    assert LATER in reasons(workload)


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
    assert inputs.unvaried(inputs.made) == ()
    assert len(items) > 20
    assert {type(each) for of_call in items for each in of_call} == {int}
    assert all(call.description.startswith("running(iter(") for call in made if not call.is_probing)
