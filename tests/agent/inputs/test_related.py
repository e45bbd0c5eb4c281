"""Made inputs that have to do with the code, or with the other parts of a call; and objects that can exist."""

from __future__ import annotations

import datetime as dt
import math
import re
import sys
import warnings
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.inputs.inside.alike_texts import ALIKE, alike_texts
from afterburner.agent.inputs.inside.call_parts import places, record_with, root_of, with_value
from afterburner.agent.inputs.inside.container_kinds import NotBuildableError
from afterburner.agent.inputs.inside.edge_values import edges
from afterburner.agent.inputs.inside.mutated_calls import constants_of
from afterburner.agent.inputs.inside.named_values import codes_of, mentioned_values, named_tables
from afterburner.agent.inputs.inside.nested_values import nested
from afterburner.agent.inputs.inside.pattern_texts import texts_of_patterns
from afterburner.agent.inputs.inside.related_values import (
    CHAIN,
    MATCHED,
    Constants,
    inputs_of_lengths,
    related_inputs,
)
from afterburner.agent.inputs.inside.table_texts import texts_of_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MODULE = ModuleType("taxes")
exec(  # noqa: S102 - the text below
    "BRACKETS = [(12_570, 0.2), (50_270, 0.4)]\nNAMES = {'a': ('low', None)}\n"
    "def rate(x):\n    return x > 125_140 and 'top'\n"
    "def f(income):\n    return [part for part in (1, 'x') if rate(income)]\n",
    vars(MODULE),
)


def test_the_constants_are_those_of_the_function_of_what_it_calls_and_of_the_tables_of_its_module() -> None:
    constants = Constants(mentioned_values(MODULE, MODULE.f))
    near = list(constants.near(3))
    assert {12_569, 12_570, 12_571, 50_270, 125_140, 125_141} <= set(near)
    assert set(constants.near("")) == {"x", "top", "a", "low"}
    assert 0.4 in constants.samples(float)
    assert all(type(value) is int for value in near)


def test_numbers_are_tried_around_powers_of_units_that_the_code_mentions() -> None:
    constants = Constants([1000, 7, 60, 50_270])
    assert {999_999, 1_000_001, 10**9 - 1, 3_599, 216_001} <= set(constants.near(3))
    assert {999_999.99, 3_600.0} <= set(constants.near(2.5))
    assert not {49, 50_270**2} & set(constants.near(3)), "neither a digit nor a large number is a unit"


def test_numbers_are_tried_with_remainders_that_the_code_mentions() -> None:
    constants = Constants([1000, 99, 60, 7])
    assert {1099, 1098, 1100, 1060, 1007, 67} <= set(constants.near(3))
    assert 1999 not in set(constants.near(3)), "a remainder is smaller than what the code divides by"


def test_a_number_is_as_large_as_another_argument_is_long() -> None:
    root = root_of(["a-b-c", [7, 8], 3], {})
    place = next(each for each in places(root) if each.site == ("2",))
    tried = [args[2] for kind, (args, _) in related_inputs(root, place, Constants([])) if "long" in kind]
    assert tried == [5, 4, 6, -5, 2, 1, -2], "3 is the real one"


def test_values_of_a_module_that_cannot_be_hashed_are_passed_over() -> None:
    class Unhashable(dict[str, int]):
        __hash__ = None  # type: ignore[assignment]

    constants = Constants([Unhashable(), [1], 7])
    assert 7 in constants.near(3)


def test_sequences_and_texts_are_tried_around_the_lengths_that_the_code_mentions() -> None:
    constants = Constants([64, 3, 100_000, 0.5])
    for value in ([5], "ab", (1.5, 2.5), ["x", "y"]):
        root = root_of([value], {})
        made = [changed[0][0] for _, changed in inputs_of_lengths(root, next(iter(places(root))), constants)]
        assert {len(each) for each in made} == {63, 64, 65}
        assert {type(each) for each in made} == {type(value)}
        assert type(value) is str or any(len(set(each)) == len(each) and list(each) != sorted(each) for each in made)
    for value in ([], 7, {5}):
        root = root_of([value], {})
        assert not list(inputs_of_lengths(root, next(iter(places(root))), constants))


def _inputs(*args: object, mentioned: Sequence[object] = ()) -> dict[str, list[list[object]]]:
    root = root_of(args, {})
    found: dict[str, list[list[object]]] = {}
    for place in places(root):
        for kind, changed in related_inputs(root, place, Constants(mentioned)):
            found.setdefault(kind, []).append(changed[0])
    return found


def test_a_separator_of_the_code_stands_for_another() -> None:
    found = [args[0] for args in _inputs("P1.5Y", mentioned=[",", ".", "Y", "0n"])["separator of the code for another"]]
    assert found == ["P1,5Y"]


def test_the_keys_of_tables_that_the_code_names_come_in_one_text_of_each_kind() -> None:
    module = ModuleType("signs")
    exec(  # noqa: S102 - the text below
        "SIGNS = {'`': \"'\", '-': '-', '\\u2013': '-', 'a': 'b'}\nWORDS = {'and', 'or'}\nUNUSED = {'x': 1}\n"
        "SPACES = {0xa0: ' '}\nMANY = {chr(number): 1 for number in range(0x4e00, 0x4e00 + 500)}\n"
        "def clean(text):\n    return ''.join(SIGNS.get(sign, sign) for sign in text)\n"
        "def f(text):\n    return [each for each in clean(text).split() if each in WORDS].translate(SPACES, MANY)\n",
        vars(module),
    )
    texts = texts_of_tables(named_tables(module, module.f))
    assert {"`-", "\u2013", "a", "\xa0", "and or"} <= set(texts)
    assert "x" not in texts, "the code does not name that table"
    assert [len(text) for text in texts if text[0] >= "\u4e00"] == [200, 200, 100]
    root = root_of(["1"], {})
    inputs = related_inputs(root, next(iter(places(root))), Constants([], texts))
    assert "1`-" in [args[0] for kind, (args, _) in inputs if kind == "keys of a table in one text"]


def test_what_a_method_names_of_its_class_counts_as_well() -> None:
    module = ModuleType("days")
    exec(  # noqa: S102 - the text below
        "class Base:\n    MONTHS = {'JAN': 1}\n"
        "class Parser(Base):\n    DAYS = {0: 'SUN', 1: 'MON'}\n    UNNAMED = ['x']\n"
        "    def day(self, text):\n        return self.DAYS if self.month(text) else 'y'\n"
        "    def month(self, text):\n        return self.MONTHS.get(text, 777)\n",
        vars(module),
    )
    values = list(mentioned_values(module, module.Parser.day))
    assert {"SUN", "MON", "JAN", "y", 777} <= {each for each in values if isinstance(each, (str, int))}
    assert "x" not in values, "the code does not name that table"
    assert {code.co_name for code in codes_of(module, module.Parser.day)} == {"day", "month"}
    assert "SUN MON" not in texts_of_tables(named_tables(module, module.Parser.month))
    assert "JAN" in texts_of_tables(named_tables(module, module.Parser.day))
    module.DAYS = {9: "XYZ"}
    assert {module.DAYS[9], "SUN"} <= set(filter(None, map(str, mentioned_values(module, module.Parser.day))))


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"([A-Z\d]+)(?=[A-Z\d]|$)", r"\d[A-Z]"),
        (r"\s+", r"\s\s"),
        (r"(?P<quote>['\"])(?:[^\\]|\\.)*?(?P=quote)", r"^(['\"]).*\1$"),
        (r"^(?:GET|POST) /\w{2,3}(?<=\w)(?!x)", r"^(GET|POST) /\w\w"),
        (r"(?i)a(?:b|[^a-z_.])", r"^a[^a-z_.]"),
    ],
)
def test_texts_of_a_pattern_are_of_what_it_names(pattern: str, wanted: str) -> None:
    for given in (pattern, re.compile(pattern)):
        texts = texts_of_patterns([given])
        assert any(re.search(wanted, text) for text in texts), texts
        assert sum(bool(re.search(pattern, text)) for text in texts) > len(texts) / 2
    assert texts_of_patterns([pattern, "x*y"]) == texts_of_patterns([pattern, "x*y"])


def test_what_is_no_pattern_of_texts_has_none_and_no_pattern_takes_the_place_of_all() -> None:
    assert texts_of_patterns([None, 5, b"x", re.compile(b"x"), "(", "", {}]) == []
    assert texts_of_patterns(["((a{90}){90}){90}"]) == ["a" * 30]
    texts = texts_of_patterns([f"{letter}[0-9]+" for letter in "abcdef"])
    assert {text[0] for text in texts} == set("abcdef")
    assert len(texts) == 24


def test_only_texts_that_are_compiled_are_patterns_and_no_other_constant_takes_their_place() -> None:
    module = ModuleType("tokens")
    exec(  # noqa: S102 - the text below
        "import re\nPIXELS = re.compile('[0-9]+px')\nWORDS = 'a b ' * 50_000\nCOMMA = ','\n"
        "def f(text):\n    if text in ('utf-8', '%Y', 'INFO', 'Z', 'a|b', COMMA, WORDS):\n        return PIXELS\n"
        "    return re.sub('[A-Z]{2}', '', text)\n",
        vars(module),
    )
    texts = constants_of(module, module.f, {"[A-Z]{2}", module.WORDS, "(?a)(?u)x"}).of_patterns
    assert {re.sub(r"\d+", "7", text) for text in texts if text.endswith("px")} == {"7px"}
    assert [text for text in texts if not re.fullmatch("[0-9]+px|[A-Z]{2}", text)] == []
    assert any(text.isalpha() for text in texts)


@pytest.mark.parametrize(
    "pattern",
    ["(?a)(?u)x", "(" * 90 + "x" + ")*" * 90, "x|" * 100_000, r"(?:(?:(?:(?:(?:\b){30}){30}){30}){30}){30}", "[[a]"],
)
def test_a_pattern_that_cannot_be_read_or_goes_on_for_long_costs_nothing(pattern: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        texts = texts_of_patterns([pattern, "[0-9]x"])
    assert any(re.fullmatch("[0-9]x", text) for text in texts)


def test_a_pattern_for_debugging_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    pattern = re.compile("ab", re.DEBUG)
    capsys.readouterr()
    assert texts_of_patterns([pattern]) == ["ab"]
    assert capsys.readouterr().out == ""


def test_texts_of_patterns_come_before_after_and_in_place_of_a_text() -> None:
    root = root_of(["get"], {})
    inputs = related_inputs(root, next(iter(places(root))), Constants([], (), ["7A", "8B", "9C"]))
    assert [args[0] for kind, (args, _) in inputs if kind == MATCHED] == ["get7A", "8Bget", "9C"]


def test_a_value_is_put_in_the_place_of_another_argument() -> None:
    assert [20, [10, 20]] in _inputs(15, [10, 20])["value of another argument"]
    assert ["ab", {"ab": 1}] in _inputs("x", {"ab": 1})["value of another argument"]


def test_a_function_raises_or_changes_its_mind_when_some_of_the_elements_are_done() -> None:
    for items in ([5, 6, 7, 8], "abcd", ([1], [2], [3], [4])):
        found = _inputs(abs, items)
        (raising, given), *_ = found["function that raises for some elements"]
        assert callable(raising)
        assert given is items
        assert [raising(item) for item in items[:2]] == [0, 1]
        with pytest.raises(ValueError, match="not in"):
            raising(items[2])
        predicates = [function for function, _ in found["function that is true of some elements"]]
        answers = [[function(item) for item in items] for function in predicates if callable(function)]
        assert answers == [[0, 1, 1, 0], [1, 1, 0, 0]]
    assert "function that raises for some elements" not in _inputs(abs, [5, 6])


def test_one_nan_stands_in_two_arguments() -> None:
    inputs = _inputs([0.5, 1.5], (2.5,), 0.25)["the same not-a-number twice"]
    assert any(left[0] is right[0] and math.isnan(left[0]) and right[1:] == (2.5,) for left, right, _ in inputs)
    assert any(left[0] is value and left[1:] == [0.5, 1.5] for left, _, value in inputs)


def test_texts_contain_each_other_and_overlap() -> None:
    found = _inputs("x", {"aba": "b", "b": "c"})
    assert ["ababa", {"aba": "b", "b": "c"}] in found["text made of other texts"]
    assert ["x", {"aba": "b", "b": "c", "abaa": "b", "a": "c"}] in found["texts that contain each other"]
    assert ["x", {"aba": "b", "b": "c"}] in found["values that are keys"]


def test_texts_are_of_nearly_the_same_letters() -> None:
    found = [texts for [texts] in _inputs(["cat", "act"])["texts of nearly the same letters"]]
    assert found == [["ca", "ac"], ["cca", "caa"], ["cf", "de"]]
    assert [["xb", "bx"]] in _inputs(["x"])["texts of nearly the same letters"]


def test_texts_are_made_of_the_characters_that_the_code_mentions() -> None:
    kind = "characters that the code mentions"
    found = [str(text) for [text] in _inputs("a", mentioned=["\\", "|", "long"])[kind]]
    assert {"\\|", "\\\\|", "|\\", "||||"} <= set(found)
    assert len(found) == len(set(found)) == 4 + 8 + 16


def test_pieces_of_a_text_overlap_in_it() -> None:
    kind = "texts that overlap in another text"
    assert _inputs("a new york offer", ["new", "old"])[kind] == [["a new york offer", ["new york", "a new"]]]
    assert _inputs("abc", {"a": "1", "b": "2"})[kind] == [["abc", {"bc": "1", "ab": "2"}]]
    assert _inputs("abc", {"a": "1"})[kind] == [["abc", {"bc": "1", "ab": "1"}]]
    assert kind not in _inputs("ab", ["abc"])


def test_a_value_stands_for_another_as_a_template_names_it() -> None:
    found = _inputs("Dear {name} of %town%", {"name": "Ann", "town": "Ulm", "size": 3})["value that stands for another"]
    assert [fields for _, fields in found] == [
        {"name": "%town%", "town": "Ulm", "size": 3},
        {"name": "Ann", "town": "{name}", "size": 3},
    ]


@pytest.mark.parametrize("table", [{"a": "b", "b": "c"}, {"a": ["b"], "b": []}, {"a": {"b"}, "b": set()}])
def test_links_go_further_than_python_recurses(table: dict[str, object]) -> None:
    chained = _inputs("a", table)["long chain"]
    start, chain = chained[0]
    assert isinstance(chain, dict)
    assert start in chain
    assert len(chain) >= CHAIN - 1 > sys.getrecursionlimit()
    assert all(name not in (link if isinstance(link, (list, set)) else [link]) for name, link in chain.items())
    assert "long chain" not in _inputs("a", {"a": "x"})


@pytest.mark.parametrize(
    ("table", "cycles"),
    [
        ({"a": "b", "b": "c"}, [{"a": "b", "b": "a"}, {"a": "a"}]),
        ({7: [9], 8: [], 9: []}, [{7: [8], 8: [9], 9: [7]}, {7: [7]}]),
    ],
)
def test_links_lead_back_to_where_they_start(table: dict[Any, Any], cycles: list[dict[Any, Any]]) -> None:
    last = list(table)[-1]
    found = _inputs(last, table)["cycle of links"]
    first = next(iter(table))
    assert found == [made for cycle in cycles for made in ([first, cycle], [last, cycle])]


class Plain:
    def __init__(self, size: int) -> None:
        self.size = size


class Special(Plain):
    pass


class Refusing(Plain):
    def __init__(self, size: int) -> None:
        if size < 0:
            raise ValueError(size)
        super().__init__(size)


class Built:
    def __init__(self) -> None:
        self.left: dict[str, int] = {}
        self.right: dict[int, str] = {}


@dataclass(frozen=True)
class Range:
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError


class Fixed(Plain):
    def __init__(self) -> None:
        super().__init__(1)
        self.more = 2


def test_an_object_of_a_subclass_stands_in_for_one_of_its_class_if_its_constructor_makes_it() -> None:
    made = [changed for [changed] in _inputs(Plain(3))["object of a subclass"]]
    assert [type(each) for each in made] == [Special, Refusing, Fixed]
    assert [vars(each) for each in made] == [{"size": 3}, {"size": 3}, {"size": 1, "more": 2}]
    assert "object of a subclass" not in _inputs(Refusing(3)), "no code was skipped to make one"


def test_no_object_is_made_that_its_class_forbids() -> None:
    assert record_with(Plain(3), {"size": 4}).size == 4
    assert record_with(Range(1, 2), {"high": 5}) == Range(1, 5)
    for value, changed in ((Refusing(1), {"size": -1}), (Range(1, 2), {"low": 3}), (Built(), {"left": {"a": 1}})):
        with pytest.raises(NotBuildableError):
            record_with(value, changed)
        root = root_of([value], {})
        place = next(place for place in places(root) if place.site[-1] == f".{next(iter(changed))}")
        assert with_value(root, place, next(iter(changed.values()))) is root


def test_dates_are_written_otherwise_and_lie_around_changes_of_clocks() -> None:
    assert {"due 2024-3-5", "due 20240305", "due 2024-W09-4"} <= {value for _, value in edges("due 2024-03-05")}
    assert "9:05" in {value for _, value in edges("09:05")}
    assert {"v01.20.3", "v1.20.03"} <= {value for _, value in edges("v1.20.3")}
    assert "09:05" in {value for _, value in edges("9:05")}
    moments = {value for _, value in edges(dt.datetime(2024, 3, 5, 9, tzinfo=dt.UTC))}
    assert dt.datetime(2024, 10, 27, 1, 30, tzinfo=dt.UTC) in moments
    assert {dt.date(2024, 2, 29), dt.date(2024, 3, 6)} <= {value for _, value in edges(dt.date(2024, 3, 5))}


@pytest.mark.parametrize(
    ("text", "otherwise", "leap", "change"),
    [
        ("2024-03-05", {"2024-3-5", "05/03/2024", "5/3/2024", "05.03.2024", "5.3.2024"}, "2024-02-29", "2024-10-27"),
        ("due 2024-3-5", {"due 2024-03-05", "due 05.03.2024"}, "due 2024-2-29", "2024-3-31"),
        ("5.3.2024, 09:30", {"05.03.2024, 09:30", "2024-03-05, 09:30"}, "29.2.2024, 02:30", "31.3.2024, 02:30"),
        ("05/03/2024", {"5/3/2024", "2024-3-5"}, "29/02/2024", "27/10/2024"),
        ("03/25/2024", {"3/25/2024", "25.3.2024"}, "02/29/2024", "10/27/2024"),
    ],
)  # fmt: skip
def test_dates_are_written_in_other_ways_and_others_in_the_same_way(
    text: str, otherwise: set[str], leap: str, change: str
) -> None:
    found = [value for _, value in edges(text)]
    assert otherwise <= set(found)
    assert leap in found
    assert any(change in value for value in found)


def test_a_table_is_tried_with_keys_that_the_real_one_has_not() -> None:
    longer = [value for kind, value in edges({"name": 1, "town": 2}) if kind == "one key more"]
    assert [list(value)[2:] for value in longer[::2]] == [["NAME"], ["name name"], [""], ["\xe9"]]
    assert [list(value.values()) for value in longer[:2]] == [[1, 2, 1], [1, 2, 2]], "an equal value, and another"
    assert all(list(value.items())[:2] == [("name", 1), ("town", 2)] for value in longer)
    assert [list(value) for kind, value in edges({0: "a"}) if kind == "one key more"] == [[0, -1]] * 2 + [
        [0, 2**63]
    ] * 2
    assert not any(kind == "one key more" for kind, _ in edges({}))


@pytest.mark.parametrize(
    ("arguments", "of_both"),
    [
        ((["the sea"], "sea"), lambda args: (args[0][0], args[1])),
        (({1: "the sea"}, ["sea", "hill"]), lambda args: (args[0][1], args[1][0])),
        (({1: "the sea"}, {"sea": None, "hill": 2}), lambda args: (args[0][1], next(iter(args[1])))),
    ],
)
def test_two_arguments_hold_texts_that_are_alike(
    arguments: tuple[Any, ...], of_both: Callable[[list[Any]], tuple[str, str]]
) -> None:
    made = [root[0] for _, root in alike_texts(root_of(arguments, {}))]
    assert [of_both(args) for args in made] == list(ALIKE)
    assert all(len(args[1]) == len(arguments[1]) or type(args[1]) is str for args in made)


def test_texts_in_one_argument_alone_are_like_no_other() -> None:
    assert not list(alike_texts(root_of((["a", "b"], 3), {})))


@dataclass
class Node:
    name: str
    inner: list[Node] = field(default_factory=list)


@pytest.mark.parametrize(
    ("value", "way"),
    [
        ([1, [2, 3], [4]], [1]),
        ((1, (2, 3)), [1]),
        ({"a": 1, "b": {"c": 2}}, ["b"]),
        ({"name": "x", "inner": [{"name": "y", "inner": []}]}, ["inner", 0]),
        ([[1, 2], [3, 4]], None),  # a table
        ({"a": {"b": 1}, "c": {"d": 2}}, None),
        ([1, 2], None),
        ([[1], *range(50)], None),  # large
    ],
)
def test_what_holds_its_own_kind_is_nested_deeper_than_python_recurses(value: Any, way: list[Any] | None) -> None:
    deep = nested(value)
    assert (deep is None) == (way is None)
    levels = 0
    while way is not None and levels < 1_020:
        assert type(deep) is type(value)
        assert len(deep) == len(value)
        for key in way:
            deep = deep[key]
        levels += 1
    if way is not None:
        assert deep == (value[way[0]] if len(way) == 1 else value[way[0]][way[1]])


def test_objects_that_hold_their_own_kind_are_nested_by_their_constructor() -> None:
    deep, levels = nested(Node("a", [Node("b")])), 0
    while deep.inner:
        deep, levels = deep.inner[0], levels + 1
    assert (deep.name, levels) == ("b", 1_020)
    assert nested(Node("a")) is None


def test_what_is_no_date_stays_none() -> None:
    for text in ("1.2.3", "12:30", "2024", "version 10.20.30", "12024-03-051"):
        assert "date written otherwise" not in {kind for kind, _ in edges(text)}


@pytest.mark.parametrize(
    ("own", "other"),
    [
        (Decimal("1.5"), Decimal(2)),
        (Fraction(1, 3), Fraction(7)),
        (dt.date(2024, 1, 2), dt.date(2020, 5, 6)),
        (dt.datetime(2024, 1, 2, 3), dt.datetime(2020, 5, 6, 7)),  # noqa: DTZ001 - as a caller may give it
        (dt.timedelta(1), dt.timedelta(2)),
        (b"a", b"b"),
    ],
)
def test_scalars_of_one_type_are_exchanged_whatever_the_type(own: object, other: object) -> None:
    found = _inputs(own, [other], {other: 1})["value of another argument"]
    assert [other, [other], {other: 1}] in found
    assert [own, [own], {other: 1}] in found
    assert "value of another argument" not in _inputs(own, ["x"])
