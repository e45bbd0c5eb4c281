"""An argument counts as varied if an input holds another value, not if it holds another object."""

from __future__ import annotations

import array
import copy
import enum
from types import ModuleType
from typing import Any

from afterburner.agent.inputs.inside.assumptions import Assumed
from afterburner.agent.inputs.inside.small_pieces import Base
from afterburner.agent.inputs.inside.varied_arguments import VariedArguments, can_be_varied
from afterburner.sandbox.driver.call_blobs import Call


def f(rows: Any, size: Any = 3) -> None: ...


def g(rows: Any, *more: Any, **options: Any) -> None: ...


class Plain:
    def __init__(self, held: Any = None) -> None:
        if held is not None:
            self.held = held


class Derived(Plain):
    """Its own dictionary has no `__dict__`: the base's has."""


class Row(list[int]):
    pass


class Slotted:
    __slots__ = ("held",)


def varied(*real: tuple[Any, ...]) -> VariedArguments:
    bases = [Base([list(copy.deepcopy(args)), {}], Call(args, {}, {})) for args in real]
    return VariedArguments(Assumed(ModuleType("empty"), f, []), bases)


def test_equal_values_are_the_same_whichever_objects_they_are() -> None:
    looked = varied(([{"a": [1]}], 5), ([], 7))
    for root in ([[{"a": [1]}], 5], {}), ([[], 5], {}), ([[{"a": [1]}]], {"size": 7}):
        looked.look(list(root))
    assert looked.by_name == {"rows": False, "size": False}
    looked.look([[[{"a": [2]}], 5], {}])
    looked.look([[[]], {}])
    assert looked.by_name == {"rows": True, "size": True}, "a default is another value, too"


def test_values_of_other_types_are_others_even_if_they_are_equal() -> None:
    looked = varied(([1], 1.0))
    looked.look([[[True], 1.0], {}])
    assert looked.by_name == {"rows": True, "size": False}


def test_what_another_real_call_gives_is_real_also_where_no_input_is_made_from_it() -> None:
    bases, other = [Base([[[1], 5], {}], Call(([1], 5), {}, {}))], Call(([2, 3], None), {}, {})
    looked = VariedArguments(Assumed(ModuleType("empty"), f, []), bases, [other])
    looked.look([[[2, 3], 6], {}])
    assert looked.by_name == {"rows": False, "size": True}
    looked.look([[[2], 5], {}])
    assert looked.by_name["rows"]


def test_an_iterator_is_not_used_up() -> None:
    items = iter([1, 2])
    looked = varied(([], 1))
    looked.look([[items, 1], {}])
    assert list(items) == [1, 2]


def test_what_has_no_others_like_it_is_left_out() -> None:
    colour = enum.Enum("colour", "RED")
    assert [can_be_varied(each) for each in (None, True, len, enum, colour.RED)] == [False] * 5
    assert varied((None, len)).by_name == {}


def test_an_object_that_holds_nothing_has_no_others_like_it() -> None:
    filled = Slotted()
    filled.held = 1
    assert [can_be_varied(each) for each in (Plain(), Derived(), Slotted())] == [False] * 3
    assert [can_be_varied(each) for each in (Plain(1), Derived([]), filled, array.array("d"), Row())] == [True] * 5


def test_keywords_that_differ_between_real_calls_are_varied() -> None:
    with_default, with_key, bare = (
        Call(([1],), keywords, {}) for keywords in ({"default": None}, {"key": "a", "default": 1}, {})
    )
    for real, options, never in (
        ((with_default, with_key), True, ["more"]),
        ((with_default, bare), True, ["more"]),
        ((with_default, with_default), False, ["more"]),
        ((bare, bare), False, ["more", "options"]),
        ((bare, Call(([1], 2), {}, {})), False, ["options"]),
    ):
        bases = [Base([list(call.args), dict(call.kwargs)], call) for call in real]
        looked = VariedArguments(Assumed(ModuleType("empty"), g, []), bases, real)
        assert (looked.by_name["options"], looked.never_given) == (options, never)
