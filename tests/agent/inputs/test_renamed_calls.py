"""Other values for those that break an assumption, wherever they stand in a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from afterburner.agent.inputs.inside.call_parts import fixed_sites, root_of
from afterburner.agent.inputs.inside.renamed_calls import renamed


class Stock:
    """Holds more than its constructor takes."""

    def __init__(self, pairs: Any) -> None:
        self.pairs = list(pairs)
        self.asked = 0


@dataclass
class Shop:
    """Takes all that it holds."""

    names: set[str]
    prices: dict[str, Any]


def test_what_is_equal_stays_equal_in_lists_tables_sets_and_objects() -> None:
    stock = Stock([("", 1), ("", 2), ("ash", 3)])
    shop = Shop({"", "elm"}, {"": {" x": ""}, "elm": 0})
    [[args, kwargs]] = renamed(root_of([stock, ["", " x"], 1], {"shop": shop}), [["", " x"]], [["oak", "fir", "yew"]])
    assert args[0].pairs == [("oak", 1), ("oak", 2), ("ash", 3)]
    assert args[1:] == [["oak", "fir"], 1]
    assert kwargs["shop"] == Shop({"oak", "elm"}, {"oak": {"fir": "oak"}, "elm": 0})
    assert stock.pairs[0] == ("", 1), "the call itself stays as it is"


@pytest.mark.parametrize(
    ("own", "others", "made"),
    [
        pytest.param([-1], [[2], [3]], [[7, 2], [2]], id="a number"),
        pytest.param([-1], [[7], [3]], [[7, 3], [3]], id="which stands nowhere else in the call"),
        pytest.param([-1], [["a"], [2.5]], None, id="nothing of the same type"),
        pytest.param([-1], [[True]], None, id="a bool is no number"),
    ],
)
def test_new_values_are_of_the_same_type_and_nowhere_else_in_the_call(
    own: list[Any], others: list[list[Any]], made: list[Any] | None
) -> None:
    found = [args for args, _ in renamed(root_of([[7, -1], own], {}), own, others)]
    assert found == ([] if made is None else [made])


def test_an_object_that_is_in_every_call_tells_nothing_of_the_length_of_its_lists() -> None:
    same = [root_of([Stock([("a", 1), ("b", 2)]), number], {}) for number in range(4)]
    several = [root_of([Stock([(str(number), 1), ("b", 2)]), number], {}) for number in range(4)]
    assert ("0", ".pairs") not in fixed_sites(same)
    assert ("0", ".pairs") in fixed_sites(several)
