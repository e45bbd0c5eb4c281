"""An argument counts as varied if an input holds another value, not if it holds another object."""

from __future__ import annotations

import copy
import enum
from types import ModuleType
from typing import Any

from afterburner.agent.inputs.inside.assumptions import Assumed
from afterburner.agent.inputs.inside.small_pieces import Base
from afterburner.agent.inputs.inside.varied_arguments import VariedArguments, can_be_varied
from afterburner.sandbox.driver.call_blobs import Call


def f(rows: Any, size: Any = 3) -> None: ...


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


def test_an_iterator_is_not_used_up() -> None:
    items = iter([1, 2])
    looked = varied(([], 1))
    looked.look([[items, 1], {}])
    assert list(items) == [1, 2]


def test_what_has_no_others_like_it_is_left_out() -> None:
    colour = enum.Enum("colour", "RED")
    assert [can_be_varied(each) for each in (None, True, len, enum, colour.RED)] == [False] * 5
    assert varied((None, len)).by_name == {}
