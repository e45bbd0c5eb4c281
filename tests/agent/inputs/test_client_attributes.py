"""Attributes that a class leaves to those who use it, and objects as a call left them."""

from __future__ import annotations

import heapq
from typing import Any

import pytest

from afterburner.agent.inputs.inside.call_parts import attributes, is_made_whole, record_with, root_of, taken_attributes
from afterburner.agent.inputs.inside.client_attributes import changed_by_methods
from afterburner.agent.inputs.inside.container_kinds import NotBuildableError
from afterburner.agent.inputs.inside.small_pieces import beginning_of


class Report:
    """Whoever makes one puts the rows there; the rest is kept by methods."""

    def __init__(self, title: str = "") -> None:
        self.title = title
        self.rows: list[Any] = []
        self.wide = False
        self.total, self.log, self.queue, self.lines = 0, [], [], []
        self._seen: dict[Any, Any] = {}

    def add(self, number: int) -> None:
        """Keeps attributes in step, in each way there is."""
        self.total += number
        self.log.append(number)
        heapq.heappush(self.queue, number)
        lines = self.lines
        lines.append(str(number))

    def text(self) -> str:
        """Reads only."""
        self._seen[len(self.rows)] = True
        return ", ".join(map(str, sorted(self.rows))) if self.wide else str(self.rows.index(0))


def filled() -> Report:
    report = Report()
    report.rows = [3, 1]
    report.add(5)
    report.rows = [0]
    report.text()
    report.rows = [3, 1]
    return report


def test_what_no_method_changes_is_set_on_a_copy_beside_what_the_object_holds() -> None:
    report = filled()
    changed = record_with(report, {"rows": [7]})
    assert attributes(changed) == {**attributes(report), "rows": [7]}
    assert report.rows == [3, 1]
    assert attributes(record_with(report, {"title": "new"}))["title"] == "new", "which the constructor takes"


def test_the_constructor_takes_what_has_the_name_of_a_parameter_alone() -> None:
    assert taken_attributes(filled()) == ["title"]
    assert taken_attributes([3]) == []


def test_what_methods_have_filled_is_not_made_empty_for_a_smaller_call() -> None:
    fresh, full = Report("a"), filled()
    assert is_made_whole(fresh)
    assert not is_made_whole(full)
    fresh.title = full.title = "a" * 10_000
    [[[small, kept], _]] = [beginning_of(root_of([fresh, full], {}), 3)]
    assert len(small.title) < 10_000
    assert kept is full


@pytest.mark.parametrize("name", ["total", "log", "queue", "lines", "_seen"])
def test_what_a_method_may_change_is_not(name: str) -> None:
    report = filled()
    with pytest.raises(NotBuildableError):
        record_with(report, {name: type(attributes(report)[name])()})


@pytest.mark.parametrize(("name", "value"), [("wide", True), ("rows", (7,)), ("other", 1)])
def test_nor_is_what_nobody_has_set_or_what_would_be_of_another_type(name: str, value: Any) -> None:
    with pytest.raises(NotBuildableError):
        record_with(filled(), {name: value})


@pytest.mark.parametrize(
    "held", [[{"part": filled()}], [3, len], {len}], ids=["an object", "a function", "a function in a set"]
)
def test_an_object_that_holds_more_than_data_is_left_as_it_is_for_that_may_have_to_fit(held: Any) -> None:
    report = filled()
    vars(report).update({f"other{number}": number for number in range(20)}, last=held)
    with pytest.raises(NotBuildableError):
        record_with(report, {"rows": []})


def test_nothing_is_known_of_a_class_without_source() -> None:
    space: dict[str, Any] = {}
    exec("class Made:\n    def __init__(self): self.rows = []", space)  # noqa: S102 - what has no file
    assert changed_by_methods(space["Made"]) is None
