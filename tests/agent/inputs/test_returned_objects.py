"""Objects that only operators and other constructors of their class make are made by these."""

from __future__ import annotations

import sys
from collections import Counter
from types import ModuleType
from typing import Any

import pytest

from afterburner.agent.inputs.inside.call_parts import root_of
from afterburner.agent.inputs.inside.contract import Contract
from afterburner.agent.inputs.inside.input_cases import CASES, Knowledge, open_cases, unhinted_cases
from afterburner.agent.inputs.inside.mixed_elements import ElementKinds
from afterburner.agent.inputs.inside.open_values import OTHER_TYPE, UNHASHABLE
from afterburner.agent.inputs.inside.optional_arguments import signature_of
from afterburner.agent.inputs.inside.related_values import Constants
from afterburner.agent.inputs.inside.returned_objects import (
    RETURNED,
    RealObjects,
    objects_of_other_kinds,
    returned_objects,
)
from afterburner.agent.inputs.inside.small_pieces import Base
from afterburner.sandbox.driver.call_blobs import Call
from afterburner.sandbox.driver.user_module import resolve

SOURCE = """
from collections import namedtuple

Part = namedtuple("Part", "lower upper")
CALLED = []

class Span:
    __slots__ = ("_parts",)

    def __init__(self, *spans):
        self._parts = sorted(part for span in spans for part in span._parts)
        for one, other in zip(self._parts, self._parts[1:]):
            if one.upper > other.lower:
                raise ValueError("the parts overlap")

    @classmethod
    def between(cls, lower, upper):
        if not lower <= upper:
            raise ValueError("nothing is between these")
        made = cls()
        made._parts = [Part(lower, upper)]
        return made

    @classmethod
    def named(cls, name):
        CALLED.append(name)

    def __or__(self, other):
        return Span(self, other)

    def forever(self, other):
        while True:
            pass

    def leave(self, other):
        raise SystemExit(0)

    def join(self, other):
        CALLED.append("join")
        return self | other

def total(span):
    return sum(part.upper - part.lower for part in span._parts)
"""
SHAPES = ModuleType("shapes")
exec(SOURCE, vars(SHAPES))  # noqa: S102 - the text above
between = SHAPES.Span.between


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects of its classes can be copied."""
    monkeypatch.setitem(sys.modules, "shapes", SHAPES)
    SHAPES.CALLED.clear()


def real(*spans: Any) -> RealObjects:
    return RealObjects([root_of([[span]], {}) for span in spans])


def parts_of(span: Any) -> list[tuple[Any, Any]]:
    return [tuple(part) for part in span._parts]


def test_they_hold_other_values_and_several_parts_and_keep_to_what_the_class_makes() -> None:
    spans = between(1, 2), between(5, 9)
    made = [each for _, each in returned_objects(spans[0], real(*spans), without="total")]
    assert {type(each) for each in made} == {SHAPES.Span}
    bounds = [bound for each in made for part in parts_of(each) for bound in part]
    assert {type(bound) for bound in bounds} == {int}
    assert len(set(bounds) - {1, 2, 5, 9}) > 3
    assert max(len(parts_of(each)) for each in made) > 2
    for each in made:
        assert all(lower <= upper for lower, upper in parts_of(each))
        assert all(one[1] <= other[0] for one, other in zip(parts_of(each), parts_of(each)[1:], strict=False))
    assert [parts_of(span) for span in spans] == [[(1, 2)], [(5, 9)]]
    assert "join" in SHAPES.CALLED
    assert set(SHAPES.CALLED) == {"join"}, "nothing stands under the name that the other constructor asks for"


def test_the_method_that_is_to_be_rewritten_is_not_called() -> None:
    spans = between(1, 2), between(5, 9)
    made = [each for _, each in returned_objects(spans[0], real(*spans), without="join")]
    assert made
    assert SHAPES.CALLED == []


def test_both_kinds_of_numbers_of_real_objects_stand_beside_each_other_as_equal_ones() -> None:
    spans = between(0, 1), between(2.5, 3.0)
    made = [
        bound for _, each in returned_objects(spans[0], real(*spans), "f") for part in parts_of(each) for bound in part
    ]
    assert {1} <= set(made)
    assert {(type(bound), bound) for bound in made} >= {(int, 1), (float, 1.0), (int, 0), (float, 0.0)}


@pytest.mark.parametrize("value", [3, "text", [1], SHAPES.Part(1, 2), SHAPES])
def test_what_is_no_object_of_such_a_class_has_none(value: object) -> None:
    assert list(returned_objects(value, real(between(1, 2)), "f")) == []
    assert list(objects_of_other_kinds(value, real(between(1, 2)), "f")) == []


def test_a_number_that_no_other_kind_equals_has_no_other() -> None:
    found = list(objects_of_other_kinds(between(0.5, 1.5), real(between(0.5, 1.5)), "f"))
    assert {kind for kind, _ in found} == {UNHASHABLE}


def test_of_other_kinds_are_lists_and_equal_numbers() -> None:
    spans = between(0, 1), between(2, 3)
    found = list(objects_of_other_kinds(spans[0], real(*spans), "f"))
    by_kind = {kind: [parts_of(each) for other, each in found if other == kind] for kind in (UNHASHABLE, OTHER_TYPE)}
    assert all(any(type(bound) is list for part in parts for bound in part) for parts in by_kind[UNHASHABLE])
    assert all(any(type(bound) is float for part in parts for bound in part) for parts in by_kind[OTHER_TYPE])
    mixed = [Counter(type(bound) for part in parts for bound in part) for parts in by_kind[OTHER_TYPE]]
    assert any(len(kinds) == 2 for kinds in mixed)


@pytest.mark.parametrize(
    ("spans", "several"),
    [
        ([(0, 1), (2.5, 3)], False),
        ([(0, 1), ("a", "b")], True),
        ([("a", "b"), ("c", "d")], False),
        ([(0, 1), ((0,), (1,))], True),
    ],
)
def test_objects_take_several_kinds_if_real_ones_hold_them(spans: list[tuple[Any, Any]], several: bool) -> None:
    known = real(*(between(*each) for each in spans))
    assert known.takes_several_kinds(between(7, 8)) is several
    assert not known.takes_several_kinds(3)


@pytest.mark.parametrize("other", [(4, 5), ("a", "b")])
def test_inputs_are_made_with_them(other: tuple[Any, Any]) -> None:
    span = between(1, 2)
    root = root_of([span], {})
    target, roots = resolve(SHAPES, "total"), [root, root_of([between(*other)], {})]
    signature, contract = signature_of(target, SOURCE), Contract(target.function, SOURCE, roots)
    knowledge = Knowledge(signature, set(), Constants([]), "total", contract, ElementKinds(roots), RealObjects(roots))
    base = Base(root, Call((span,), {}, {}, ()))
    kinds = {each.kind for each in CASES["related"](base, knowledge) if each.root is not root}
    assert RETURNED in kinds
    assert {UNHASHABLE, OTHER_TYPE} <= {each.kind for each in unhinted_cases(base, knowledge)}
    assert ({UNHASHABLE, OTHER_TYPE} <= {each.kind for each in open_cases(base, knowledge)}) is (other == ("a", "b"))
