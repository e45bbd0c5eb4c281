"""Whose turn it is: what a function without inputs, a full list and a resumed run make of the ranking."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from afterburner.agent.batch import turns
from afterburner.agent.batch.batch_results import ManyResult, Outcome
from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.rank import RankedTarget
from afterburner.agent.options import BatchPlace, RunSettings, Search
from afterburner.sandbox import CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from afterburner.agent.batch.members import Member, Worker

NAMES = ("a", "b", "c", "d", "e", "f")


def asked_for(top: int) -> ManyResult:
    settings = RunSettings("shop", search=Search(max_seconds=900.0), batch=BatchPlace(top=top))
    many = ManyResult(Path("shop"), settings, "20260101-000000-aaaaaa")
    many.ranked = tuple(RankedTarget("shop/names.py", name, 1.0, 0.1, 1, (), 0.1) for name in NAMES)
    return many


def worked(
    many: ManyResult, decide: Callable[[str], str], *, begun: Collection[str] = (), at_once: int = 1
) -> dict[str, int]:
    """Go through the ranking; the number of the turn of each function that was worked on."""
    numbers: dict[str, int] = {}

    def run(member: Member) -> Outcome:
        numbers[member.target.function] = member.number
        return Outcome(member.target, decide(member.target.function), "told")

    worker = SimpleNamespace(
        many=many,
        loan=SimpleNamespace(cancel=CancelToken()),
        begun=lambda: {("shop/names.py", name) for name in begun},
        id_of=lambda number: f"{many.run_id}.{number:02d}",
        used_s=lambda: 0.0,
        keep=lambda: None,
        has_nothing_for=lambda target: target.function == "b",
    )
    queue = turns._Turns(cast("Worker", worker), Deadline.after(900), at_once, run, CancelToken())
    executor: Any = turns._InThisThread() if at_once == 1 else ThreadPoolExecutor(at_once)
    queue.work(executor)
    return numbers


def decisions(many: ManyResult) -> dict[str, str]:
    return {each.target.function: each.decision for each in many.outcomes}


@pytest.mark.parametrize("at_once", [1, 3])
def test_a_function_without_inputs_makes_room_for_the_next_one(at_once: int) -> None:
    many = asked_for(top=2)
    numbers = worked(many, lambda name: "no_workload" if name == "a" else "improved", at_once=at_once)
    assert decisions(many) == {"a": "no_workload", "b": "nothing_to_propose", "c": "improved", "d": "improved"}
    assert numbers == {"a": 1, "c": 2, "d": 3}, "the id of each run follows from the ranking"
    assert (many.turns, many.tried) == (3, 2)


@pytest.mark.parametrize("at_once", [1, 3])
def test_where_none_has_inputs_twice_as_many_have_their_turn(at_once: int) -> None:
    many = asked_for(top=2)
    worked(many, lambda _name: "no_workload", at_once=at_once)
    assert list(decisions(many)) == ["a", "b", "c", "d", "e"]
    assert (many.turns, many.tried) == (4, 0)


def test_a_run_that_was_begun_is_ended_although_enough_others_were_tried() -> None:
    many = asked_for(top=2)
    many.outcomes = [Outcome(each, "improved", "told") for each in many.ranked[:2]]
    assert worked(many, lambda _name: "improved", begun=["d"]) == {"d": 4}
    assert decisions(many) == {"a": "improved", "b": "improved", "c": "not_reached", "d": "improved"}
