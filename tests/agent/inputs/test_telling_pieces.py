"""Small parts of large real calls in which something happens."""

from __future__ import annotations

import linecache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.inputs.inside import telling_pieces
from afterburner.agent.inputs.inside.small_pieces import bases_of
from afterburner.sandbox.driver.call_blobs import Call

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
def alerts(readings, limit):
    before = None
    for number, value in enumerate(readings):
        if value > limit:
            if before is not None:
                yield number - before
            before = number

def fields(line):
    found = []
    for part in line.split(","):
        if part.startswith("#"):
            found.append(part[1:])
    return found

def paid(orders, rates):
    total = 0
    for name, amount in orders.items():
        if amount < 0:
            raise ValueError(name)
        if name in rates:
            total += amount * rates[name]
    return total
"""
QUIET = [1] * 700
READINGS = [*QUIET, 90, *QUIET, 91, *QUIET, 92, *QUIET]


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling_pieces, "PIECES_S", 60.0)
    monkeypatch.setattr(telling_pieces, "LIMIT_S", 60.0)


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "shop.py"
    path.write_text(SOURCE, encoding="utf-8")
    made = ModuleType("shop")
    made.__file__ = str(path)
    exec(compile(SOURCE, str(path), "exec"), vars(made))  # noqa: S102 - the text above
    linecache.clearcache()
    return made


def pieces_of(module: ModuleType, function: str, *arguments: object) -> list[Any]:
    calls = [Call(arguments, {}, {})]
    request = {"path": module.__file__, "qualname": function, "origin": ""}
    finder = telling_pieces.WayFinder(module, getattr(module, function), request, lambda _record: None)
    return [each.root[0] for each in telling_pieces.telling_pieces(calls, bases_of(calls), finder)]


def test_what_makes_something_happen_is_all_that_is_left(module: ModuleType) -> None:
    [[readings, limit]] = pieces_of(module, "alerts", READINGS, 50)
    assert [value for value in readings if value > limit] == [90, 91, 92]
    assert len(readings) < 10
    assert len(list(module.alerts(readings, limit))) == 2, "two, for something may be different between them"


def test_several_arguments_are_cut_together(module: ModuleType) -> None:
    orders = {f"order {number}": number for number in range(1_200)}
    rates = {f"order {number}": 2 for number in range(800, 1_200)}
    [[few, rate]] = pieces_of(module, "paid", orders, rates)
    assert len(few) < 10
    assert len(rate) < 10
    assert len(few.keys() & rate.keys()) == 2


def test_a_text_is_cut_too(module: ModuleType) -> None:
    [[line]] = pieces_of(module, "fields", ",".join([*["a"] * 2_500, "#b", "#c"]))
    assert len(line) < 20
    assert len(module.fields(line)) == 2


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        pytest.param("alerts", ([90, 91, 92, 1], 50), id="the beginning has it all"),
        pytest.param("alerts", (QUIET, 50), id="nothing ever happens"),
        pytest.param("paid", ({"a": 1, **dict.fromkeys(map(str, range(300)), -1)}, {}), id="it raises"),
        pytest.param("alerts", (5, 50), id="nothing to cut"),
    ],
)
def test_there_is_none_where_it_would_tell_no_more(
    module: ModuleType, function: str, arguments: tuple[object, ...]
) -> None:
    assert pieces_of(module, function, *arguments) == []
