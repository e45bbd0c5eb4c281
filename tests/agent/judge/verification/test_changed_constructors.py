"""Rewrites that compute something in a constructor: their methods get objects that the original's has made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import Job, Search, WorkloadError, open_session
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Compare

pytestmark = pytest.mark.slow

PRICES = """\
class Prices:
    def __init__(self, rates, *, rounded=2):
        self._rates = rates
        self.rounded = rounded
        self.asked = 0

    def total(self, count):
        self.asked += 1
        return round(sum(self._rates) * count, self.rounded)
"""
PRECOMPUTED = PRICES.replace("self.asked = 0", "self.asked = 0\n        self._sum = sum(rates)").replace(
    "sum(self._rates) * count", "self._sum * count"
)
CALLS = "Prices([1, 2]).total(3)\nPrices([5], rounded=1).total(2)\nPrices([]).total(7)"
SHOP = """\
from dataclasses import dataclass


class Shelf:
    def __init__(self, *names, **marks):
        self.names = names
        self.deep = marks.pop("deep", False)


@dataclass(frozen=True)
class Shop:
    shelves: list

    def find(self, name):
        return [number for number, shelf in enumerate(self.shelves) if name in shelf.names and not shelf.deep]
"""
WITH_SETS = SHOP.replace("names = names", "names = names\n        self._known = frozenset(names)").replace(
    "name in shelf.names", "name in shelf._known"
)
SHOP_CALLS = """\
Shop([Shelf("ash", "elm"), Shelf("oak", deep=True), Shelf("oak")]).find("oak")
Shop([Shelf("fir"), Shelf(deep=True), Shelf("ash", "fir")]).find("fir")
"""
WITHOUT_CONSTRUCTOR = """\
import re


class Words:
    def split(self, text):
        return re.findall("[a-z]+", text)
"""
WITH_CONSTRUCTOR = """\
import re


class Words:
    def __init__(self):
        self._find = re.compile("[a-z]+").findall

    def split(self, text):
        return self._find(text)
"""
WITHOUT_A_PART = """\
class Parts:
    def __init__(self, names):
        self.names = names
        self._index = None

    def closed(self):
        del self._index
        return self

    def has(self):
        return hasattr(self, "_index"), len(self.names)
"""
PARTS_CALLS = "Parts(['a']).closed().has()\nParts([]).closed().has()"
BASKET = """\
class Basket:
    def __init__(self):
        self.names = []

    def add(self, name):
        self.names.append(name)
        return self

    def has(self, name):
        return name in self.names
"""
BASKET_WITH_SET = (
    BASKET.replace("self.names = []", "self.names = []\n        self._known = set()")
    .replace("self.names.append(name)", "self.names.append(name)\n        self._known.add(name)")
    .replace("in self.names", "in self._known")
)
BASKET_CALLS = "Basket().add('ash').has('ash')\nBasket().add('elm').add('oak').has('fir')"
LABELLED = """\
class Prices:
    def __init__(self, rates):
        self.rates = rates
        self.label = ""

    def total(self, count):
        return str(sum(self.rates) * count) + self.label
"""
WITH_CACHE = LABELLED.replace('self.label = ""', 'self.label = ""\n        self._known = {}').replace(
    "        return str(sum(self.rates) * count) + self.label",
    "        if count not in self._known:\n            self._known[count] = str(sum(self.rates) * count)\n"
    "        return self._known[count] + self.label",
)
MARKED = """\
class Prices:
    def __init__(self, rates):
        self.rates = rates
        self.marks = []

    def total(self, count):
        self.marks.append(count)
        return sum(self.rates) * count, len(self.marks)
"""
MARKED_WITH_CACHE = MARKED.replace("self.marks = []", "self.marks = []\n        self._known = {}").replace(
    "return sum(self.rates) * count, len(self.marks)",
    "if count not in self._known:\n            self._known[count] = sum(self.rates) * count\n"
    "        return self._known[count], len(self.marks)",
)
MARKED_CALLS = "Prices([1, 2]).total(3)\nPrices([5]).total(2)\nPrices([]).total(7)"
KEPT_IN_NO_ATTRIBUTE = """\
class Scale:
    def __init__(self, table):
        self.words = [word.lower() for word in table]

    def find(self, number):
        return len(self.words) + number


if __name__ == "__main__":
    Scale(["A", "b"]).find(3)
    Scale(["C"]).find(9)
"""


@pytest.mark.parametrize(
    ("original", "candidate", "calls", "function"),
    [
        pytest.param(PRICES, PRECOMPUTED, CALLS, "Prices.total", id="from a private attribute"),
        pytest.param(SHOP, WITH_SETS, SHOP_CALLS, "Shop.find", id="in objects that an argument holds"),
        pytest.param(
            WITHOUT_CONSTRUCTOR,
            WITH_CONSTRUCTOR,
            "Words().split('a b')\nWords().split('c')",
            "Words.split",
            id="where there was no constructor",
        ),
        pytest.param(
            LABELLED,
            WITH_CACHE,
            "Prices([1, 2]).total(3)\nprices = Prices([5])\nprices.label = ' EUR'\nprices.total(2)",
            "Prices.total",
            id="beside an attribute that whoever uses the object sets",
        ),
    ],
)
def test_what_the_constructor_computes_beforehand_is_there_and_no_difference(
    compare: Compare, original: str, candidate: str, calls: str, function: str
) -> None:
    found = compare(original, candidate, calls, function=function, rounds=2)
    assert isinstance(found, Agreement), found
    assert found.inputs > 3


def test_what_is_computed_wrong_beforehand_is_found(compare: Compare) -> None:
    found = compare(PRICES, PRECOMPUTED.replace("sum(rates)", "sum(rates[:1])"), CALLS, function="Prices.total")
    assert isinstance(found, Counterexample)
    assert "instead of" in found.difference
    assert "AttributeError" not in found.difference


def test_objects_stay_as_recorded_where_the_constructors_are_the_same_but_for_words(compare: Compare) -> None:
    candidate = WITHOUT_A_PART.replace("self.names = names", '"""Keep the names."""\n        self.names = names  # all')
    candidate = candidate.replace("return hasattr", "# not where it is closed\n        return hasattr")
    found = compare(WITHOUT_A_PART, candidate, PARTS_CALLS, function="Parts.has", rounds=1)
    assert isinstance(found, Agreement), found


def test_nothing_is_known_where_a_method_keeps_what_the_constructor_began(compare: Compare) -> None:
    found = compare(BASKET, BASKET_WITH_SET, BASKET_CALLS, function="Basket.has", rounds=1)
    assert isinstance(found, Counterexample)
    assert "`names` another value than the call found there" in found.unfit


def test_made_objects_that_the_other_constructor_cannot_make_are_left_and_the_rest_compared(compare: Compare) -> None:
    found = compare(MARKED, MARKED_WITH_CACHE, MARKED_CALLS, function="Prices.total", rounds=3)
    assert isinstance(found, Agreement), found
    assert found.inputs > 20
    [left] = [each.reason for each in found.skipped if "cannot make the objects" in each.reason]
    assert re.match(r"\d+ inputs?: the other version's constructor", left)
    wrong = MARKED_WITH_CACHE.replace("sum(self.rates) * count", "sum(self.rates) * abs(count)")
    differing = compare(MARKED, wrong, MARKED_CALLS, function="Prices.total")
    assert isinstance(differing, Counterexample)
    assert not differing.unfit


def test_an_attribute_that_the_other_version_sets_in_the_method_is_a_difference(compare: Compare) -> None:
    candidate = PRICES.replace("self.asked += 1", "self.asked += 1\n        self.last = count")
    found = compare(PRICES, candidate, CALLS, function="Prices.total")
    assert isinstance(found, Counterexample)
    assert "last" in found.difference


def test_nothing_is_known_of_a_version_whose_constructor_takes_what_the_objects_do_not_keep(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.py", tmp_path / "theirs.py"
    ours.write_text(KEPT_IN_NO_ATTRIBUTE, encoding="utf-8")
    theirs.write_text(
        KEPT_IN_NO_ATTRIBUTE.replace(
            "for word in table]", "for word in table]\n        self._many = len(table)"
        ).replace("len(self.words) + number", "self._many + number"),
        encoding="utf-8",
    )
    jobs = [Job.from_file(path, function="Scale.find") for path in (ours, theirs)]
    with (
        open_session(store=None) as session,
        pytest.raises(WorkloadError, match=r"no attribute keeps the argument `table` .* name it with --function"),
    ):
        session.verify(*jobs, Search(max_seconds=20.0))
