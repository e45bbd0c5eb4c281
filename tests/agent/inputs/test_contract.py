"""What is within the contract of a function: what hints say, and where they are silent what real calls hold."""

from __future__ import annotations

import collections
import enum
import pickle
import re
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.inputs.inside.assumptions import Assumed
from afterburner.agent.inputs.inside.broken_contract import Rule, Rules
from afterburner.agent.inputs.inside.call_parts import root_of
from afterburner.agent.inputs.inside.compiled_patterns import compiled_patterns
from afterburner.agent.inputs.inside.contract import Contract
from afterburner.agent.inputs.inside.fitted_values import fitted
from afterburner.sandbox.driver.call_blobs import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MODULE = ModuleType("angles")
sys.modules["angles"] = MODULE  # its classes and its hints are looked up there
exec(  # noqa: S102 - the text below
    """
import re
from dataclasses import dataclass
import pickle
import re
from typing import Any, Generator, Iterable, Iterator, NamedTuple, Optional, TypeVar, Union

Anything = TypeVar("Anything")
Limited = TypeVar("Limited", int, str)

@dataclass
class Item:
    name: str
    price: int

class Point(NamedTuple):
    x: int
    y: float

class Special(Item):
    pass

def bare(a, b=None): ...
def listed(a: list, b=0): ...
def hinted(a: "list[int]", b: Optional[str] = None): ...
def number(a: float): ...
def chosen(a: Union[int, str]): ...
def limited(a: Limited): ...
def any_of(a: Anything): ...
def switched(a: int): return isinstance(a, bool)
def records(a: "list[dict[str, Any]]"): ...
def taken(a: Iterable[int]): ...
def fed(a: Iterator[int]): ...
def sent(a: Generator[int, None, None]): ...
def bought(a: Item): ...
def many(*a: int, **b: str): ...
def found(a, b): return [re.search(a, each) for each in b]
def walked(iterable): ...
""",
    vars(MODULE),
)


Item = vars(MODULE)["Item"]


class Listed(list[Any]):
    """Of another type than `list`."""


def contract_of(name: str, *calls: Sequence[Any]) -> Contract:
    return Contract(vars(MODULE)[name], "", [root_of(call, {}) for call in calls])


def rule_for(name: str, made: Sequence[Any], *calls: Sequence[Any]) -> Rule | None:
    """The rule that a call breaks."""
    function: Callable[..., Any] = vars(MODULE)[name]
    real = [Call(tuple(call), {}, {}) for call in calls]
    rules = Rules(MODULE, function, contract_of(name, *calls), real)
    rule = rules._broken_by(Call(tuple(made), {}, {}), is_refused=False)
    if rule is not None:
        stated = Assumed(MODULE, function, [rule.expression])
        assert not stated.hold(tuple(made), {})
        assert all(stated.hold(call, {}) for call in calls)
    return rule


@pytest.mark.parametrize(
    ("name", "calls", "within", "beyond"),
    [
        pytest.param("bare", [(3,), (4.5,)], [0, -1, 2**70, float("nan")], [True, None, "3", [3]], id="no hint"),
        pytest.param("listed", [([1, 2],)], [[], [7]], [[None], [True], [[1]], (1,)], id="a bare container"),
        pytest.param("listed", [([],)], [[]], [[1]], id="nothing was ever in it"),
        pytest.param("hinted", [([1],)], [[], [-5]], [[True], ["a"], None], id="a hint of plain types"),
        pytest.param("number", [(3,)], [0.5, 3], [True], id="an int for a float"),
        pytest.param("records", [([{"id": 1}, {"id": 2}],)], [[{"id": 5}]], [[{}], [{"id": "x"}]], id="half a hint"),
        pytest.param("bare", [([{"id": 1}, {"id": 2}],)], [[], [{"id": 5, "more": ""}]], [[{}]], id="records"),
        pytest.param("bare", [({"a": 1, "b": 2},), ({"a": 1},)], [{}, {"z": 3}], [{"a": ""}, {1: 1}], id="a table"),
        pytest.param("bare", [({"n": "x", "b": 2},), ({"n": "", "b": 1},)], [{"n": "z", "b": 3}], [{"b": 3}], id="one"),
        pytest.param("bare", [([("a", 1)],)], [[("b", 0)]], [[("b",)], [(1, "b")], [["b", 1]]], id="rows"),
        pytest.param("bare", [((1, 2, 3),)], [(), (1,) * 9], [("a",)], id="a tuple of any length"),
        pytest.param("bare", [({1, 2},)], [{3}], [{"a"}], id="a set"),
        pytest.param("bare", [(collections.Counter("ab"),)], [collections.Counter("c")], [{"c": 1}], id="a counter"),
        pytest.param("taken", [([1],)], [(1, 2), iter([1])], [["a"], "12"], id="what an iterable hint allows"),
    ],
)
def test_kinds_of_arguments(
    name: str, calls: Sequence[Sequence[Any]], within: Sequence[Any], beyond: Sequence[Any]
) -> None:
    contract = contract_of(name, *calls)
    assert [value for value in within if not contract.admits(root_of([value], {}))] == []
    assert [value for value in beyond if contract.admits(root_of([value], {}))] == []


def test_defaults_and_optional_arguments_are_within() -> None:
    contract = contract_of("bare", (1, "x"))
    assert contract.admits(root_of([1], {}))
    assert contract.admits(root_of([1, None], {}))
    assert contract_of("hinted", ([1],)).admits(root_of([[2], "x"], {}))
    assert not contract_of("hinted", ([1],)).admits(root_of([[2], 5], {}))
    many = contract_of("many", (1,))
    assert many.admits(root_of([1, 2, 3], {"x": "y"}))
    assert not many.admits(root_of([1, True], {}))
    assert not many.admits(root_of([], {"x": 1}))


def test_what_an_object_holds_is_told_by_its_class_and_a_subclass_is_one_of_it() -> None:
    item, special = vars(MODULE)["Item"], vars(MODULE)["Special"]
    for name in ("bought", "bare"):
        contract = contract_of(name, (item("a", 1),))
        assert contract.admits(root_of([special("b", 0)], {}))
        assert not contract.admits(root_of([item("b", True)], {}))
        assert not contract.admits(root_of([item(None, 2)], {}))
    point = vars(MODULE)["Point"]
    assert not contract_of("bare", (point(1, 2.0),)).admits(root_of([point(1, None)], {}))
    colour = enum.Enum("colour", "RED BLUE")
    assert contract_of("bare", (colour.RED,)).admits(root_of([colour.BLUE], {}))


def test_what_is_called_an_iterable_may_be_an_iterator_of_elements_or_of_characters() -> None:
    contract, other = (contract_of(name, ["AAB"], [[[1], [2]]]) for name in ("walked", "bare"))
    for within in (iter(["a"]), iter([[1]]), ["a", [1]], "AB"):
        assert contract.admits(root_of([within], {})), within
    assert not contract.admits(root_of([iter([1.5])], {}))
    for beyond in (iter([[1]]), ["a"]):
        assert not other.admits(root_of([beyond], {})), "a name that promises nothing"


def test_without_hints_only_the_kinds_of_real_calls_are_within() -> None:
    contract = Contract(vars(MODULE)["number"], "", [root_of([3], {})], by_hints=False)
    assert not contract.admits(root_of([0.5], {}))


@pytest.mark.parametrize(
    ("name", "made", "calls", "rule"),
    [
        ("bare", (True,), [(3,), (4.5,)], ("type(a) in (float, int)", "`a` holds float or int")),
        ("bare", (None,), [(3,)], ("type(a) is int", "`a` holds int")),
        ("bare", ([1, None],), [([1],), (None,)], None),
        (
            "bare",
            ([{"id": None}],),
            [([{"id": 1}, {"id": 2}],)],
            ("all(type(item['id']) is int for item in a)", "`id` of each element of `a` holds int"),
        ),
        (
            "records",
            ([{}],),
            [([{"id": 1}, {"id": 2}],)],
            ("all('id' in item for item in a)", "each element of `a` has the key 'id'"),
        ),
        (
            "bare",
            ({"a": [1.5]},),
            [({"b": [1, 2]},)],
            (
                "all(all(type(part) is int for part in item) for item in a.values())",
                "each element of each value of `a` holds int",
            ),
        ),
        ("listed", ([1],), [([],)], ("len(a) == 0", "`a` is empty")),
        (
            "bare",
            ([(1,)],),
            [([(1, "a")],)],
            ("all(len(item) == 2 for item in a)", "each element of `a` has 2 elements"),
        ),
    ],
)
def test_a_rule_is_told_as_an_expression_that_real_calls_keep_to(
    name: str, made: Sequence[Any], calls: Sequence[Sequence[Any]], rule: tuple[str, str] | None
) -> None:
    told = rule_for(name, made, *calls)
    assert told is not None
    assert not told.by_hint
    if rule is None:
        assert told.expression.startswith("(type(a).__name__ != 'list' or all(")
    else:
        assert told[:2] == rule


@pytest.mark.parametrize(
    ("name", "made", "real", "rule"),
    [
        ("number", True, 3, "`a` holds float or int"),
        ("number", "x", 3, "`a` holds float or int"),
        ("listed", {}, [], "`a` holds list"),
        ("bought", 3, Item("a", 1), "`a` holds Item"),
        ("bought", Item("a", 1.5), Item("a", 1), "`price` of `a` holds int"),
        ("chosen", 3.5, 3, "`a` holds int or str"),
        ("limited", b"x", "x", "`a` holds int or str"),
        # What a type checker takes, though it is of another type than the hint names.
        ("listed", Listed(), [], None),
        ("chosen", True, 3, None),
        ("switched", True, 3, None),  # the code asks whether it is one
        # A type variable stands for any type.
        ("any_of", "x", 3, None),
        # Real calls contradict the hint.
        ("number", True, "x", None),
    ],
)
def test_what_a_hint_rules_out_is_told_as_such(name: str, made: Any, real: Any, rule: str | None) -> None:
    told = rule_for(name, (made,), (real,))
    assert told is not None
    assert told.by_hint == (rule is not None)
    assert rule in {None, told.words}
    assert contract_of(name, (real,)).is_ruled_out(root_of([made], {})) == told.by_hint


def test_a_type_that_the_module_does_not_know_is_told_by_its_name() -> None:
    @dataclass
    class Local:
        size: int

    rule = Rule("type(a).__name__ == 'Local'", "`a` holds Local", by_hint=False)
    assert rule_for("bare", (True,), (Local(1),)) == rule
    told = rule_for("bare", (True,), *((kind(),) for kind in (int, float, str, list, dict, set, bytes)))
    assert told == Rule("type(a).__name__ != 'bool'", "`a` never holds bool", by_hint=False)


def test_a_text_that_is_compiled_as_a_pattern_has_to_be_a_valid_one() -> None:
    function = vars(MODULE)["found"]
    real = Call(("a+", ["b("]), {}, {})
    contract = contract_of("found", real.args)
    with compiled_patterns() as compiled:
        function(*real.args)
        module_state = pickle.dumps(re.compile("b+"))  # which a call is copied with
    assert compiled >= {"a+"}
    assert pickle.loads(module_state) == re.compile("b+")  # noqa: S301 - made in the line above
    contract.learn_patterns(root_of(real.args, {}), compiled)
    made = Call(("(", []), {}, {})
    assert not contract.admits(root_of(made.args, {}))
    assert contract.admits(root_of(["x", ["("]], {})), "what is searched in may be any text"
    rules = Rules(MODULE, function, contract, [real])
    rule = Rule("re.compile(a) is not None", "`a` is a valid regular expression", by_hint=False)
    assert rules._broken_by(made, is_refused=False) == rule


@pytest.mark.parametrize("name", ["taken", "fed", "sent", "bare"])
def test_the_items_that_an_iterator_has_left_count_and_stay(name: str) -> None:
    real, made, other = iter([1, 2]), iter([3]), iter([4, "five"])
    contract = contract_of(name, [real])
    assert contract.admits(root_of([made], {}))
    assert not contract.admits(root_of([other], {}))
    assert [list(each) for each in (real, made, other)] == [[1, 2], [3], [4, "five"]]
    assert contract.admits(root_of([[6]], {})) == (name == "taken")


@pytest.mark.parametrize(
    ("name", "made", "fits"),
    [
        ("hinted", [1.0, 0], [[1, 0]]),
        ("hinted", [1.5, 2.0], []),
        ("hinted", [True, 2.0], [[1, 2]]),
        ("bought", Item("a", 3.0), [Item("a", 3)]),
    ],
)
def test_numbers_that_hints_rule_out_become_equal_ones_that_fit(name: str, made: Any, fits: list[Any]) -> None:
    found = [root[0][0] for root in fitted(root_of([made], {}), contract_of(name, ([4],)))]
    assert all(each in fits for each in found)
    assert bool(found) == bool(fits)
    assert {repr(each) for each in found} == {repr(each) for each in fits}
