"""Functions that running code has made are carried as their code, with all that they use."""

from __future__ import annotations

import functools
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.sandbox.driver import call_blobs, made_functions, value_encoder

if TYPE_CHECKING:
    from collections.abc import Callable

STEP = 10
BY_SIZE = lambda row: -row  # noqa: E731 - a function without a name that the module holds


def carried(*values: Any) -> tuple[Any, ...]:
    return call_blobs.load_call(call_blobs.dump_call(values, {}, {})).args  # type: ignore[no-any-return]


def encoded(value: object) -> tuple[str, list[str]]:
    encoder = value_encoder.Encoder()
    return encoder.encode(value).decode(), encoder.opaque


class Table:
    """Holds functions that its methods make, as tables of real packages do."""

    def __init__(self, factor: int) -> None:
        def count() -> int:
            nonlocal factor
            factor += 1
            return factor

        def factorial(n: int) -> int:
            return 1 if n < 2 else n * factorial(n - 1)

        self.scale = lambda value, by=3: value * factor * by + STEP
        self.count, self.factorial, self.read = count, factorial, lambda: factor
        self.itself = lambda: self
        self.both = [self.scale, self.scale]


def test_a_copy_does_what_the_function_does_and_leaves_that_alone() -> None:
    table = Table(2)
    again, count = carried(table, table.count)
    assert again.scale(5) == table.scale(5) == 40
    assert again.factorial(5) == 120
    assert again.itself() is again is not table
    assert again.both[0] is again.both[1] is again.scale
    assert count is again.count
    assert (count(), again.read()) == (3, 3), "the two share the variable, as they did"
    assert table.read() == 2


def test_details_come_along() -> None:
    def made(a: int, *, b: int = 4) -> int:
        """Add."""
        return a + b

    made.unit = ["ms"]  # type: ignore[attr-defined]
    (again,) = carried(made)
    assert (again(1), again.__doc__, again.unit, again.__qualname__) == (5, "Add.", ["ms"], made.__qualname__)
    assert again.unit is not made.unit  # type: ignore[attr-defined]


def test_a_variable_that_was_not_bound_yet_stays_so() -> None:
    def outer() -> Callable[[], object]:
        def inner() -> object:
            return later  # noqa: F821 - deleted below

        later = 1
        del later
        return inner

    with pytest.raises(NameError):
        carried(outer())[0]()


@functools.cache
def cached(n: int) -> int:
    return n


def test_what_pickle_finds_by_its_name_stays_the_same_object() -> None:
    again = carried(cached, len, json.dumps, Table.__init__)
    assert again == (cached, len, json.dumps, Table.__init__)


def test_what_a_module_holds_without_a_name_is_carried_and_no_variable_stands_for_it() -> None:
    """A call may bind the variable to another function, which the variable's name would hide."""
    (again,) = carried(BY_SIZE)
    assert again(3) == -3
    assert encoded(again)[1] == []
    assert encoded(BY_SIZE)[1] == [f"function {__name__}.<lambda>"]


def test_an_inner_function_may_import_from_its_package() -> None:
    def inner() -> str:
        from . import __name__ as package  # noqa: PLC0415 - what is tried

        return package

    assert carried(inner)[0]() == __package__


def test_a_decorators_function_that_bears_anothers_name_is_carried() -> None:
    @functools.wraps(carried)
    def wrapper() -> int:
        return STEP + 1

    assert carried(wrapper)[0]() == 11


def test_a_function_of_a_module_that_cannot_be_imported_is_carried_if_it_uses_no_name_of_it() -> None:
    namespace: dict[str, Any] = {"__name__": "nowhere"}
    exec("own = 1\ndef make(n):\n    return lambda: n, lambda: own, lambda: globals()", namespace)  # noqa: S102 - ours
    plain, naming, looking = namespace["make"](7)
    assert carried(plain)[0]() == 7
    assert carried(*carried(plain))[0]() == 7, "a copy of a copy"
    for function in (naming, looking):
        with pytest.raises(call_blobs.NotCopyable, match="lambda"):
            carried(function)


def test_what_a_given_function_does_is_told_by_its_code_and_what_it_holds() -> None:
    def adder(n: object) -> Callable[[], object]:
        return lambda: n

    def other(n: object) -> Callable[[], object]:
        return lambda: [n]

    told = {encoded(carried(function)[0])[0] for function in (adder(1), adder(2), adder(1.0), other(1))}
    assert len(told) == 4
    same, opaque = encoded(carried(adder([1]))[0])
    assert (same, opaque) == (encoded(carried(adder([1]))[0])[0], [])


def test_one_function_in_two_places_is_told_from_two_alike() -> None:
    def make() -> Callable[[], int]:
        return lambda: 1

    one = make()
    assert encoded(carried([one, one])[0])[0] != encoded(carried([one, make()])[0])[0]


def test_functions_that_hold_themselves_come_to_an_end() -> None:
    def loop() -> object:
        return loop

    loop.own = loop  # type: ignore[attr-defined]
    (again,) = carried(loop)
    assert again() is again.own is again
    assert encoded(again)[1] == []


def test_of_what_a_call_has_made_no_more_is_told_than_its_name() -> None:
    """The code of a rewrite may be another and do the same: to tell them apart would be a false alarm."""
    text, opaque = encoded(Table(1).read)
    assert json.loads(text)[0] == "opaque"
    assert opaque == [f"function {__name__}.Table.__init__.<locals>.<lambda>"]


def test_code_of_another_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    blob = call_blobs.dump_call([Table(1)], {}, {})
    monkeypatch.setattr(made_functions, "_PYTHON", "3.2 (another)")
    with pytest.raises(call_blobs.NotCopyable, match=rf"recorded by Python {sys.version.split()[0]}"):
        call_blobs.load_call(blob)


def test_code_in_a_modules_data_stays_as_importing_it_made_it() -> None:
    module = sys.modules[__name__]
    module.HANDLERS = {"a": lambda: 1}  # type: ignore[attr-defined]
    try:
        assert call_blobs.snapshot_globals(module, ["HANDLERS", "STEP"]) == ({"STEP": 10}, [], ["HANDLERS"])
    finally:
        del module.HANDLERS  # type: ignore[attr-defined]
