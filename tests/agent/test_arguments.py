"""What a Python caller gets wrong is told at once, by its name, with what to give instead."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent import (
    Caps,
    InputOptions,
    Job,
    ModelOptions,
    Problem,
    Proof,
    Search,
    Session,
    UsageError,
    open_session,
)
from afterburner.agent.events import EventKind, ProgressEvent, Stage
from afterburner.sandbox import TestCase

if TYPE_CHECKING:
    from collections.abc import Callable

SUM: Any = ("sum", "Add.")  # Any: these are the callers that no type checker has seen
JOB = Job.from_file("shop.py")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Search(iterations="2"), r"Search\(iterations='2'\): give a whole number."),
        (lambda: Search(max_seconds=True), r"Search\(max_seconds=True\): give a number."),
        (lambda: InputOptions(assume=("x > 0",) * 101), "there are 101 expressions; at most 100 are taken."),
        (lambda: InputOptions(assume=("x > 0 and " * 99 + "x > 10000000",)), "longer than 1,000 characters"),
        (lambda: Search(iterations=0), r"Search\(iterations=0\): 0 is not a number of 1 or more."),
        (lambda: Caps(cost_usd="one"), r"Caps\(cost_usd='one'\): give a number or None."),
        (lambda: Proof(growth="no"), r"Proof\(growth='no'\): give True or False."),
        (lambda: ModelOptions(allow_imports=[1]), "give a tuple, each part a text."),
        (lambda: Job.from_file(5), "path=5: this is an int. Give the path of a file."),
        (lambda: Job.from_text("shop.py", b"x = 1"), "the text of shop.py=b'x = 1': this is a bytes. Give a text"),
        (lambda: Job.from_text("shop.py", "", others=["stock.py"]), "others=.* Give the texts by their paths."),
        (lambda: Job.from_revision("shop.py", ""), "it is empty. Give a branch, a tag or a commit."),
        (lambda: Job.from_problem({"name": "sum"}), "Give a Problem, such as Problem.from_json"),
        (lambda: Problem(*SUM, (("1", "2"),)), r"cases=\('1', '2'\): this is a tuple. Give TestCase"),
        (lambda: Problem(*SUM, [TestCase(b"1")]), "this is a list. Give a tuple of TestCase"),
        (lambda: Problem(*SUM, (TestCase("1 2", b"3"),)), "stdin='1 2': this is a str. Give bytes"),  # type: ignore[arg-type]
    ],
)
def test_a_value_of_the_wrong_type_is_refused_where_it_is_made(made: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        made()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"store": "/srv/runs"}, "store='/srv/runs': this is a str. Give a pathlib.Path of a folder, 'user', or None."),
        ({"store": Path(__file__)}, "this is a file. Give a folder."),
        ({"caps": {"cost_usd": 1}}, r"Give Caps\(…\)"),
        ({"models": "rules"}, r"Give ModelOptions\(…\), or only model='…'."),
        ({"trust": "yes"}, "trust='yes': this cannot be called."),
        ({"trust": None}, "trust=None: this cannot be called."),
    ],
)
def test_a_session_is_not_opened_with_what_it_cannot_use(arguments: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message), open_session(**arguments):
        pass


@pytest.mark.parametrize(
    ("called", "message"),
    [
        (lambda session: session.optimize("shop.py"), r"Give a Job, such as Job.from_file\('shop.py'\)."),
        (lambda session: session.optimize(JOB, {"iterations": 1}), r"search=.* Give Search\(…\)"),
        (lambda session: session.optimize(JOB, cancel=True), "cancel=True: this is a bool. Give a CancelToken"),
        (lambda session: session.optimize(JOB, on_event="print"), "on_event='print': this cannot be called."),
        (lambda session: session.optimize(Job.from_revision("shop.py", "HEAD")), "revisions are for compare"),
        (lambda session: session.compare(JOB, "b.py"), "job='b.py': this is a str."),
        (lambda session: session.verify(JOB, "b.py"), "job='b.py': this is a str."),
        (lambda session: session.resume(7), "name=7: this is an int. Give the id of a run, or latest."),
        (lambda session: session.survey("/nowhere/at/all"), "There is no folder /nowhere/at/all."),
        (lambda session: session.discard("20260101"), "No run is stored"),
    ],
)
def test_a_call_says_which_argument_is_wrong(called: Callable[[Session], object], message: str) -> None:
    with open_session(store=None) as session, pytest.raises(UsageError, match=message):
        called(session)


def test_an_event_prints_as_one_short_line() -> None:
    event = ProgressEvent(kind=EventKind.REPLAYING_CALLS, stage=Stage.PREPARE, count=3, run_id="20260101-000000-aaaaaa")
    assert str(event) == "prepare: replaying_calls count=3"
