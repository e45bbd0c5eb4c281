"""Objects that are told by their identity alone stay the same ones in a copied call."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.sandbox.driver import module_sentinels
from afterburner.sandbox.driver.call_blobs import dump_call, load_call

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = """
import array
import _random

class Missing:
    pass

class Named:
    def __init__(self, name):
        self.name = name

class Slotted:
    __slots__ = ("name",)

class State:
    pass

class Careful:
    def __reduce__(self):
        return (Careful, ())

class Proxy:
    @property
    def __class__(self):
        raise RuntimeError("working outside of a context")

    def __getattr__(self, name):
        raise RuntimeError("working outside of a context")

EMPTY = object()
MISSING = Missing()
NAMED = Named("one")
SLOTTED = Slotted()
STATE = State()
CAREFUL = Careful()
PROXY = Proxy()
BUFFER = array.array("i", [1, 2, 3])
CHANCE = _random.Random(1)
LATEST = object()

def unique(items, key=EMPTY, default=MISSING):
    return key is EMPTY, default is MISSING

def renew():
    global LATEST
    LATEST = object()
"""


@pytest.fixture
def module() -> Iterator[Any]:
    held: Any = ModuleType("sentinels_of_test")
    sys.modules[held.__name__] = held
    exec(SOURCE, vars(held))  # noqa: S102 - the text above
    yield held
    del sys.modules[held.__name__]


def test_a_copied_call_has_the_object_that_its_module_holds(module: Any) -> None:
    call = load_call(dump_call([[1], module.EMPTY], {"default": module.MISSING}, {"EMPTY": module.EMPTY}))
    assert call.args[1] is call.globals["EMPTY"] is module.EMPTY
    assert module.unique(*call.args, **call.kwargs) == (True, True)


def test_one_that_has_got_a_state_is_copied_like_any_other(module: Any) -> None:
    assert load_call(dump_call([module.MISSING], {}, {})).args[0] is module.MISSING
    module.MISSING.seen = 1
    copied = load_call(dump_call([module.MISSING], {}, {})).args[0]
    assert copied is not module.MISSING
    assert copied.seen == 1


def test_all_others_are_copied(module: Any) -> None:
    """What may hold something: attributes, slots, a state to come, what a class in C or a class of its own ways has."""
    others = [module.Missing() for _ in range(100)]
    held = (module.NAMED, module.SLOTTED, module.LATEST, module.STATE, module.CAREFUL, module.BUFFER, module.CHANCE)
    for value in (*held, *others, object()):
        assert module_sentinels.place_of(value) is None
    for value in (module.NAMED, module.STATE, module.BUFFER, others[0], object()):
        assert load_call(dump_call([value], {}, {})).args[0] is not value
    assert list(load_call(dump_call([module.BUFFER], {}, {})).args[0]) == [1, 2, 3]
    assert module_sentinels.place_of(module.EMPTY) == (module.__name__, "EMPTY")


def test_what_two_modules_know_is_one_object_in_both(module: Any) -> None:
    other: Any = ModuleType("other_of_test")
    other.STATE = module.STATE
    sys.modules[other.__name__] = other
    try:
        assert module_sentinels.place_of(module.STATE) == (module.__name__, "STATE")
    finally:
        del sys.modules[other.__name__]


def test_a_module_that_cannot_be_imported_where_calls_are_made_is_no_place(module: Any) -> None:
    assert module_sentinels.place_of(module.MISSING, without={module.__name__}) is None
