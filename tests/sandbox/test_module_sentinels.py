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
class Missing:
    pass

class Named:
    def __init__(self, name):
        self.name = name

class Slotted:
    __slots__ = ("name",)

EMPTY = object()
MISSING = Missing()
NAMED = Named("one")
SLOTTED = Slotted()
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


def test_it_is_as_blank_as_it_was_when_the_call_was_copied(module: Any) -> None:
    blob = dump_call([module.MISSING], {}, {})
    module.MISSING.seen = 1
    copied = load_call(dump_call([module.MISSING], {}, {})).args[0]
    assert copied is not module.MISSING, "it has state by now, so it is copied like any other"
    assert load_call(blob).args[0] is module.MISSING
    assert vars(module.MISSING) == {}


def test_all_others_are_copied(module: Any) -> None:
    of_call = module.Missing()
    for value in (module.NAMED, module.SLOTTED, module.LATEST, of_call, object()):
        assert module_sentinels.place_of(value) is None
        assert load_call(dump_call([value], {}, {})).args[0] is not value


def test_a_module_that_cannot_be_imported_where_calls_are_made_is_no_place(module: Any) -> None:
    assert module_sentinels.place_of(module.MISSING, without={module.__name__}) is None
