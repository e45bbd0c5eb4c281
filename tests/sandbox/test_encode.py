"""The canonical encoding: what a caller could tell apart differs, what it could not is equal, and no user code runs."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import io
import itertools
import json
import logging
import pathlib
import random
import re
import subprocess
import sys
import types
import typing
import zoneinfo
from typing import TYPE_CHECKING, Any

import pytest
import regex

from afterburner.sandbox.driver import value_encoder
from afterburner.sandbox.driver.value_encoder import Encoder, encode
from afterburner.sandbox.rendering import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Colour(enum.Enum):
    RED, BLUE = 1, 2


@dataclasses.dataclass
class Point:
    x: object
    y: object = 0


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, **values: object) -> None:
        for name, value in values.items():
            setattr(self, name, value)


class OtherList(list):  # type: ignore[type-arg]
    pass


Pair = collections.namedtuple("Pair", "x y")  # noqa: PYI024 - the plain kind is what is tested
Other = collections.namedtuple("Other", "x y")  # noqa: PYI024


class Countdown:
    """An iterator written in Python: its state tells what it will give."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        raise AssertionError


def count(*items: object) -> Iterator[object]:
    yield from items


def shared() -> list[list[int]]:
    row = [0]
    return [row, row]


def filled(members: list[object]) -> set[object]:
    result: set[object] = set(range(100))  # a larger table, so another order
    result.clear()
    result.update(members)
    return result


def with_order(*keys: str) -> collections.OrderedDict[str, int]:
    ordered = collections.OrderedDict.fromkeys(sorted(keys), 0)
    for key in keys:
        ordered.move_to_end(key)
    return ordered


DIFFERENT: list[tuple[Callable[[], object], Callable[[], object]]] = [
    (lambda: 1, lambda: True),
    (lambda: 1, lambda: 1.0),
    (lambda: 1, lambda: decimal.Decimal(1)),
    (lambda: 1, lambda: "1"),
    (lambda: 0.0, lambda: -0.0),
    (lambda: 0.1 + 0.2, lambda: 0.3),
    (lambda: float("inf"), lambda: float("-inf")),
    (lambda: "a", lambda: b"a"),
    (lambda: b"a", lambda: bytearray(b"a")),
    (lambda: [1, 2], lambda: (1, 2)),
    (lambda: [1, 2], lambda: [2, 1]),
    (lambda: [1, 2], lambda: OtherList([1, 2])),
    (lambda: [1, 2], lambda: count(1, 2)),
    (lambda: [1, 2], lambda: collections.deque([1, 2])),
    (lambda: {1, 2}, lambda: frozenset({1, 2})),
    (lambda: {"a": 1, "b": 2}, lambda: {"b": 2, "a": 1}),
    (lambda: {"a": 1}, lambda: collections.Counter("a")),
    (lambda: {"a": 1}, lambda: collections.defaultdict(int, {"a": 1})),
    (lambda: collections.defaultdict(int), lambda: collections.defaultdict(list)),
    (lambda: with_order("a", "b"), lambda: with_order("b", "a")),
    (lambda: collections.deque([1], 1), lambda: collections.deque([1], 2)),
    (lambda: Pair(1, 2), lambda: (1, 2)),
    (lambda: Pair(1, 2), lambda: Other(1, 2)),
    (lambda: Colour.RED, lambda: Colour.BLUE),
    (lambda: Point(1, 2), lambda: Point(1, 3)),
    (lambda: Slotted(a=1), lambda: Slotted(a=1, b=2)),
    (lambda: decimal.Decimal("1.5"), lambda: decimal.Decimal("1.50")),
    (lambda: fractions.Fraction(1, 3), lambda: fractions.Fraction(1, 2)),
    (lambda: pathlib.PurePosixPath("a"), lambda: pathlib.PureWindowsPath("a")),
    (lambda: dt.datetime(2024, 1, 1, tzinfo=dt.UTC), lambda: dt.datetime(2024, 1, 1)),  # noqa: DTZ001 - the difference
    (lambda: dt.datetime(2024, 1, 1, fold=1), lambda: dt.datetime(2024, 1, 1)),  # noqa: DTZ001 - no zone is meant
    (lambda: range(3), lambda: range(0, 3, 2)),
    (lambda: re.compile("a"), lambda: re.compile("a", re.IGNORECASE)),
    (lambda: array.array("i", [1]), lambda: array.array("l", [1])),
    (lambda: ValueError("a"), lambda: ValueError("b")),
    (lambda: ValueError("a"), lambda: TypeError("a")),
    (lambda: OSError(2, "no", "a"), lambda: OSError(2, "no", "b")),
    (shared, lambda: [[0], [0]]),
    (lambda: 10**5000, lambda: 10**5000 + 1),
    (lambda: "x" * 10_000 + "a", lambda: "x" * 10_000 + "b"),
    (lambda: list(range(50_000)), lambda: [*range(49_999), 0]),
    (lambda: [[i] for i in range(9_000)], lambda: [(i,) for i in range(9_000)]),
    (lambda: dict.fromkeys(range(9000), 0), lambda: dict.fromkeys(range(9000), False)),
    (lambda: "\udc80", lambda: "\udc81"),
    (lambda: len, lambda: sum),
    (lambda: str.lower, lambda: str.upper),
    (lambda: str.lower, lambda: bytes.lower),
    (lambda: int.__add__, lambda: float.__add__),
    (lambda: types.SimpleNamespace(a=1), lambda: types.SimpleNamespace(a=2)),
    (lambda: logging.getLogger("a"), lambda: logging.getLogger("b")),
    (lambda: zoneinfo.ZoneInfo("UTC"), lambda: dt.UTC),
    (lambda: typing.Literal, lambda: typing.Final),
    (lambda: regex.compile("a"), lambda: regex.compile("a", regex.IGNORECASE)),
    (lambda: regex.compile(r"\L<words>", words=["a"]), lambda: regex.compile(r"\L<words>", words=["b"])),
    (lambda: Countdown(2), lambda: Countdown(3)),
    (lambda: Point(itertools.count(1)), lambda: Point(itertools.count(2))),
    (lambda: io.StringIO("a"), lambda: io.StringIO("b")),
    (lambda: functools.partial(len, [1]), lambda: functools.partial(len, [2])),
    (lambda: [].append, lambda: [1].append),
    (lambda: re.compile("a").match, lambda: re.compile("b").match),
    (lambda: re.compile("a").match, lambda: re.compile("a").search),
    ({"a": 1}.keys, {"b": 1}.keys),
    (lambda: int, lambda: float),
]


@pytest.mark.parametrize("pair", DIFFERENT, ids=range(len(DIFFERENT)))
def test_what_a_caller_could_tell_apart_is_encoded_differently(pair: Any) -> None:
    left, right = pair
    assert encode(left()) != encode(right())


@pytest.mark.parametrize("pair", DIFFERENT, ids=range(len(DIFFERENT)))
def test_an_encoding_is_the_same_each_time_and_small_json(pair: Any) -> None:
    for make in pair:
        first, second = make(), make()  # both alive: nothing may depend on where an object lies
        assert encode(first) == encode(second)
        assert len(encode(make())) < 100_000
        json.loads(encode(make()))


def test_what_is_told_by_its_name_can_be_compared() -> None:
    assert b'"opaque"' not in encode([typing.Literal, typing.Optional, regex.compile("a")])


def test_sets_are_equal_however_they_were_filled() -> None:
    members = [1, "a", (2, "b"), None, 2.5, frozenset({3, "c"}), Colour.RED]
    assert encode(set(members)) == encode(filled(members[::-1]))
    assert encode({"k": set(members)}) == encode({"k": filled(members[::-1])})


class Node:
    """An object whose hash does not show in it, and decides in which order a set gives its elements."""

    __slots__ = ("parts",)
    hashes: typing.ClassVar[dict[int, int]] = {}

    def __init__(self, hashed: int, *parts: object) -> None:
        self.parts: object = parts
        Node.hashes[id(self)] = hashed

    def __hash__(self) -> int:
        return Node.hashes[id(self)]


def given(node: Node, *parts: object) -> Node:
    node.parts = parts
    return node


Make = typing.Callable[[list[Node]], object]
# Of four nodes that look alike; those of a pair are different values.
SHARED_IN_SETS: list[tuple[Make, Make]] = [
    # What stands in a set, or in an element of one, and after it
    (lambda n: ({n[0]}, n[0]), lambda n: ({n[0]}, n[1])),
    (lambda n: (frozenset({given(n[0], n[1])}), n[1]), lambda n: (frozenset({given(n[0], n[1])}), n[2])),
    (lambda n: ({n[0], given(n[1], 2)}, n[0], n[1]), lambda n: ({n[0], given(n[1], 2)}, n[2], n[1])),
    # Elements that share an object: of different looks, and of the same
    (
        lambda n: {given(n[0], 1, n[2]), given(n[1], 2, n[2])},
        lambda n: {given(n[0], 1, n[2]), given(n[1], 2, n[3])},
    ),
    (lambda n: {given(n[0], n[2]), given(n[1], n[2])}, lambda n: {given(n[0], n[2]), given(n[1], n[3])}),
    (
        lambda n: {frozenset({given(n[0], n[2], 1)}), frozenset({given(n[1], n[2], 2)})},
        lambda n: {frozenset({given(n[0], n[2], 1)}), frozenset({given(n[1], n[3], 2)})},
    ),
    # An element in another one, around in a circle, and bound to what came before the set
    (lambda n: {n[0], given(n[1], n[0])}, lambda n: {n[0], given(n[1], n[2])}),
    (
        lambda n: ({given(n[0], n[1], 5), given(n[1], n[0], 6)}, n[0]),
        lambda n: ({given(n[0], n[1], 5), given(n[1], n[0], 6)}, n[1]),
    ),
    (lambda n: (n[3], {given(n[0], n[3]), n[1]}), lambda n: (n[3], {given(n[0], n[2]), n[1]})),
]


@pytest.mark.parametrize("pair", SHARED_IN_SETS, ids=range(len(SHARED_IN_SETS)))
def test_whether_two_values_are_one_object_counts_in_sets_too(pair: tuple[Make, Make]) -> None:
    first, *others = itertools.permutations(range(4))
    one, other = (make([Node(hashed) for hashed in first]) for make in pair)
    assert encode(one) != encode(other)
    for hashes in others:
        again = [make([Node(hashed) for hashed in hashes]) for make in pair]
        assert [encode(value) for value in again] == [encode(one), encode(other)]


def tangle(shape: random.Random, order: random.Random, count: int) -> object:
    """Nodes in sets, lists and each other, around in circles: `shape` decides what it is, `order` all that hides."""
    hashes = order.sample(range(8 * count), count)
    nodes = [Node(hashed) for hashed in hashes]

    def part(depth: int) -> object:
        chosen = [nodes[shape.randrange(count)] for _ in range(shape.randrange(4))]
        if depth and not shape.randrange(3):
            return [part(depth - 1) for _ in range(2)]
        match shape.randrange(4):
            case 0:
                return shape.randrange(2)
            case 1:
                return chosen
        inner = [frozenset(chosen[:2])] if len(chosen) > 2 else []
        members = [*chosen, *inner]
        order.shuffle(members)
        return filled(members) if order.randrange(2) else set(members)

    for node in nodes:
        node.parts = part(2)
    return [part(2), {*nodes} if shape.randrange(2) else part(2), nodes[0], part(1)]


@pytest.mark.parametrize("seed", range(150))
def test_what_is_the_same_but_for_its_hashes_is_encoded_the_same(seed: int) -> None:
    """Whatever looks alike and shares what: an order that hashes decide must never show."""
    made = [tangle(random.Random(seed), random.Random(f"{seed} {order}"), 2 + seed % 6) for order in range(6)]
    assert len({encode(value) for value in made}) == 1


def test_a_set_of_alike_objects_is_the_same_whichever_of_them_comes_after_it() -> None:
    """Nothing but the order of hashes tells them apart, so neither does the encoding."""
    one, other = Node(0, 1), Node(1, 1)
    assert encode(({one, other}, one)) == encode(({one, other}, other))
    assert encode(({one, other}, one)) != encode(({one, other}, Node(2, 1)))


def test_sets_that_share_objects_are_shown_as_sets() -> None:
    part = [3]
    assert (
        render(json.loads(encode({Node(0, 1, part), Node(1, 1, part)})))
        == "{Node(parts=(1, [3])), Node(parts=(1, [3]))}"
    )
    told = render(json.loads(encode({Node(0, 1, part), Node(1, 2, part)})))
    assert told == "{Node(parts=(1, [3])), Node(parts=(2, [3]))}"


def test_equal_tuples_are_equal_whether_shared_or_not() -> None:
    one = (1, 2)
    assert encode([one, one]) == encode([(1, 2), tuple([1, 2])])  # noqa: C409 - another object


def test_cycles_and_deep_structures_end() -> None:
    cycle: list[object] = [1]
    cycle.append(cycle)
    assert json.loads(encode(cycle)) == ["list", 1, ["ref", 0]]
    deep: object = None
    deeper: object = 1
    for _ in range(5_000):
        deep, deeper = Point(deep), Point(deeper)
    assert encode(deep) != encode(deeper)
    assert len(encode(deep)) < 10_000


def test_a_value_like_an_unrolled_tree_of_sets_is_refused_or_told() -> None:
    nested: frozenset[object] = frozenset()
    for _ in range(100):
        nested = frozenset({nested})
    with pytest.raises(value_encoder.TooLarge):
        value_encoder.encode(nested)


def test_iterators_give_up_their_items_and_how_they_end() -> None:
    def fails() -> Iterator[int]:
        yield 1
        raise ValueError("late")

    assert encode(count(1)) == encode(count(1))
    assert encode(count(1)) != encode(fails())
    assert encode(iter([1])) != encode(count(1))


def test_what_cannot_be_looked_into_is_told() -> None:
    encoder = value_encoder.Encoder()
    assert b'["opaque",' in encoder.encode([1, lambda: 0, sys.stderr.buffer])
    assert len(encoder.opaque) == 2
    encoder = value_encoder.Encoder()
    encoder.encode([1, "opaque", Point(1), len, str.lower, list.append, int.__add__])
    assert encoder.opaque == []


def test_classes_of_the_script_are_classes_of_the_module() -> None:
    as_script = type("Thing", (), {"__module__": "__main__"})
    as_module = type("Thing", (), {"__module__": "report"})
    assert value_encoder.encode(as_script(), "report") == value_encoder.encode(as_module(), "report")
    assert value_encoder.encode(as_script(), "other") != value_encoder.encode(as_module(), "other")


class Meta(type):
    """A metaclass that answers every question about its classes."""

    def __hash__(cls) -> int:
        raise AssertionError

    def __eq__(cls, other: object) -> bool:
        raise AssertionError

    def __instancecheck__(cls, instance: object) -> bool:
        raise AssertionError

    def __subclasscheck__(cls, subclass: type) -> bool:
        raise AssertionError

    def __getattribute__(cls, name: str) -> object:
        raise AssertionError(name)


def refuse(*_args: object, **_kwargs: object) -> Any:
    raise AssertionError


HOOKS = (
    *(
        "__eq__",
        "__hash__",
        "__repr__",
        "__str__",
        "__reduce__",
        "__reduce_ex__",
        "__getstate__",
        "__len__",
        "__bool__",
    ),
    *(
        "__getattribute__",
        "__getattr__",
        "__iter__",
        "__getitem__",
        "__contains__",
        "__int__",
        "__index__",
        "__float__",
    ),
    *("__sizeof__", "__dir__", "__format__", "__class_getitem__", "__copy__", "__deepcopy__", "__del__"),
    *("items", "keys", "values", "decode", "encode", "__dict__", "__class__"),
)


@pytest.mark.parametrize("base", [object, list, dict, tuple, str, int, float, set, frozenset, bytes, collections.deque])
def test_no_code_of_a_class_is_run(base: type) -> None:
    body: dict[str, object] = {"__module__": "m", "__slots__": ()}
    body |= {name: property(refuse) if name in {"__dict__", "__class__"} else refuse for name in HOOKS}
    del body["__del__"]
    hostile = type.__new__(Meta, "Hostile", (base,), body)
    value = base.__new__(hostile)
    encoded = json.loads(encode([value, hostile]))
    assert encoded[1][1] == "m.Hostile"
    assert encoded[2] == ["type", "m.Hostile"]


def test_names_that_lie_are_not_asked() -> None:
    class Name(str):
        __slots__ = ()
        __str__ = __contains__ = __eq__ = __hash__ = __format__ = refuse

    class Named:
        pass

    def function() -> None:
        pass

    Named.__module__ = Name("m")
    function.__module__, function.__qualname__ = Name("m"), Name("q")
    assert json.loads(encode(Named()))[0] == "opaque"
    assert json.loads(encode(function))[0] == "opaque"


def test_a_class_that_a_call_has_made_cannot_be_looked_into() -> None:
    """Its methods may do anything; what a class of the library has made of plain fields is told by these."""

    class Made:
        def get(self) -> int:
            return 1

    class WrongError(ValueError):
        pass

    class Kept(typing.NamedTuple):
        x: int

    for value in (Made(), Made, [Made()], {"a": Made}):
        assert '"opaque"' in encode(value).decode(), value
    for value in (WrongError("a"), Kept(1)):
        assert '"opaque"' not in encode(value).decode(), value


def test_a_function_that_a_call_has_made_cannot_be_looked_into_whatever_it_is_called() -> None:
    @functools.wraps(refuse)
    def wrapped(*_: object) -> None:
        pass

    def renamed() -> None:
        pass

    renamed.__qualname__ = "nothing_stands_here"
    text = compile("def executed(): pass", "<string>", "exec")
    executed = types.FunctionType(text.co_consts[0], {"__name__": __name__})
    for function in (wrapped, renamed, executed, [wrapped], functools.partial(wrapped, 1)):
        encoder = Encoder()
        encoder.encode(function)
        assert encoder.opaque, function
    assert json.loads(encode(refuse)) == ["function", f"{__name__}.refuse"]


COUNTED = """
import subprocess
import sys
from afterburner.sandbox.driver.value_encoder import encode

class Point:
    def __init__(self, x):
        self.x = x

value = [{"a": [1, (2.5, {3}), Point(4)]} for _ in range(3000)]
encode(value)  # what it has to find out once of each type
heard = []
sys.addaudithook(lambda event, _: heard.append(event) if event == "builtins.id" else None)
encode(value)
print(len(heard))
"""


def test_an_audit_hook_is_not_called_for_each_part_of_a_value() -> None:
    done = subprocess.run([sys.executable, "-c", COUNTED], check=True, capture_output=True, text=True)
    assert int(done.stdout) == 0


class NoObject(type):
    """Makes classes that do not derive from `object`."""

    def mro(cls) -> list[type]:
        return [cls, list]


def test_an_object_of_a_class_that_does_not_derive_from_object_cannot_be_encoded() -> None:
    class Odd(list, metaclass=NoObject):  # type: ignore[type-arg]
        pass

    odd = list.__new__(Odd)
    assert object not in Odd.__mro__
    with pytest.raises(value_encoder.TooLarge, match="cannot be told apart"):
        value_encoder.encode({"a": [odd]})
