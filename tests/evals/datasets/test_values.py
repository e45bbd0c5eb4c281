"""Values as tagged JSON: one text for each, the same value back, and nothing that only pretends to be equal."""

from __future__ import annotations

import json
import math
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from afterburner.evals.inside.leetcode_arrays import (
    binaryTree,
    binaryTree2Arr,
    graph,
    graph2Dict,
    linkedList,
    linkedList2Arr,
)
from afterburner.evals.inside.same import is_alike, is_same
from afterburner.evals.inside.values import OPAQUE, ListNode, TreeNode, decode, encode

PLAIN = some.recursive(
    some.none()
    | some.booleans()
    | some.integers()
    | some.floats(allow_nan=False)
    | some.text()
    | some.binary()
    | some.complex_numbers(allow_nan=False),
    lambda inner: (
        some.lists(inner)
        | some.lists(inner).map(tuple)
        | some.dictionaries(some.text() | some.integers() | some.tuples(some.integers(), some.text()), inner)
        | some.sets(some.integers() | some.text())
        | some.frozensets(some.integers() | some.booleans())
    ),
)


@given(PLAIN)
def test_gives_back_the_same_value(value: object) -> None:
    """Types included, on one line of ASCII, and by the same text again."""
    text = encode(value)
    back = decode(text)

    assert text.isascii()
    assert "\n" not in text
    assert OPAQUE not in text
    assert is_same(back, value)
    assert encode(back) == text


@given(PLAIN, PLAIN)
def test_tells_different_values_apart(one: object, other: object) -> None:
    """Equal texts are equal values."""
    if encode(one) == encode(other):
        assert is_same(one, other)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(10**6000, id="huge"),
        -(2**64),
        [2**63, -(2**63), 1],
        [1.5, math.inf],
        "a\ud800b\n\0",
        deque([1, (2,)]),
        OrderedDict([("b", 1), ("a", 2)]),
        Counter("hello"),
        defaultdict(None, {1: [2]}),
        range(3, -9, -2),
        bytearray(b"\xff\x00"),
        {(1, "x"): {2.5: frozenset({b"y"})}, None: -0.0},
    ],
)
def test_knows_the_types_of_the_standard_library(value: object) -> None:
    """Huge integers, infinities, half characters and the containers that solutions return."""
    assert is_same(decode(encode(value)), value)


def test_writes_sets_in_one_order_and_leaves_keys_in_theirs() -> None:
    """The order of a set is nobody's; that of a dictionary is data for whom it is given to."""
    words = [f"word {number}" for number in range(50)]

    assert encode(set(words)) == encode({*words[25:], *words[:25]})
    assert encode({1: 2, 3: 4}) != encode({3: 4, 1: 2})
    assert list(decode(encode({3: 4, 1: 2}))) == [3, 1]  # type: ignore[call-overload]


@pytest.mark.parametrize("pair", [((1,), [1]), (1, True), (1, 1.0), ("1", 1), ({1}, frozenset({1})), (b"a", "a")])
def test_tells_apart_what_is_alike(pair: tuple[object, object]) -> None:
    """A tuple is no list, and 1 is neither True nor 1.0."""
    one, other = pair
    assert encode(one) != encode(other)
    assert not is_same(one, other)


def test_takes_no_value_at_its_word() -> None:
    """Whoever says that it equals everything, or imitates an encoding, is opaque and equals nothing."""

    class Equal(int):
        def __eq__(self, _other: object) -> bool:
            return True

        __hash__ = int.__hash__

        def __repr__(self) -> str:
            return "7"

    class Text(str):
        __slots__ = ()

    for value in (Equal(7), Text("x"), Decimal(7), iter([7]), lambda: 7, type, {7: 7}.keys()):
        told = encode([value])
        assert OPAQUE in told
        assert decode(told) != [7]
        assert not is_same(decode(told), decode(told))
        assert not is_alike(decode(told), [7])
    assert decode(encode({"i": "0x7"})) == {"i": "0x7"}
    assert decode(encode('{"i":"0x7"}')) == '{"i":"0x7"}'
    assert OPAQUE not in encode('{"o":"x"}')


@pytest.mark.parametrize(
    "text", ["", "{}", '{"x":1}', "[1", '{"i":"zz"}', '{"k":["Popen",[]]}', '{"n":[1]}', '{"d":[1]}']
)
def test_refuses_what_it_did_not_write(text: str) -> None:
    """A text of another form is an error, not a value."""
    with pytest.raises((ValueError, TypeError, KeyError)):
        decode(text)


def test_is_not_brought_down_by_depth() -> None:
    """A value that is nested without end becomes opaque; a text like that is an error that can be caught."""
    endless: list[object] = []
    endless.append(endless)

    assert OPAQUE in encode(endless)
    with pytest.raises(RecursionError):
        decode("[" * 100_000 + "]" * 100_000)


def test_carries_linked_lists_and_trees() -> None:
    """Long ones, those that lead back, and those whose class a solution has defined itself."""
    long = linkedList(list(range(50_000)))
    looped = linkedList([1, 2, 3], 1)
    tree = binaryTree([1, None, 2, 3])
    own = type("ListNode", (), {"val": 5, "next": None})()

    assert linkedList2Arr(decode(encode(long))) == list(range(50_000))  # type: ignore[arg-type]
    back = decode(encode(looped))
    assert isinstance(back, ListNode)
    assert linkedList2Arr(back) == [1, 2, 3]
    assert back.next is not None
    assert back.next.next is not None
    assert back.next.next.next is back.next
    again = decode(encode(tree))
    assert isinstance(again, TreeNode)
    assert binaryTree2Arr(again) == [1, None, 2, 3]
    assert linkedList2Arr(decode(encode(own))) == [5]  # type: ignore[arg-type]
    assert decode(encode(None)) is None


def test_gives_up_a_tree_without_end() -> None:
    """A tree that holds itself is opaque, and so is one whose child is something else."""
    root = TreeNode(1)
    root.left = root
    other = TreeNode(1, 7)  # type: ignore[arg-type]

    assert encode(root).startswith(OPAQUE)
    assert encode(other).startswith(OPAQUE)


def test_stands_in_for_the_package_that_mercury_uses() -> None:
    """With its ways: no list is None, a place beyond the end is None, and trailing zeros are left out of a tree."""
    assert linkedList([]) is None
    assert linkedList([1], 3) is None
    assert linkedList2Arr(None) == []
    assert binaryTree([]) is None
    assert binaryTree2Arr(binaryTree([5, 4, 7, 3, None, 2, None, -1, None, 9])) == [
        5,
        4,
        7,
        3,
        None,
        2,
        None,
        -1,
        None,
        9,
    ]
    assert binaryTree2Arr(binaryTree([1, 0])) == [1]
    ring = {"$id": "1", "val": 1, "neighbors": [{"$id": "2", "val": 2, "neighbors": [{"$ref": "1"}]}]}
    assert json.loads(json.dumps(graph2Dict(graph(ring)))) == ring  # type: ignore[arg-type]
    assert graph({}) is None
    assert graph2Dict(None) == {}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((1, [2]), [1, (2,)], True),
        ({1: "x"}, {"1": "x"}, True),
        ([0.1 + 0.2], [0.3], True),
        (1, 1.0, True),
        (2, 2.5, False),
        ({1}, [1], False),
        ("1", 1, False),
        ([1], [1, 1], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        (1.0, "1.0", False),
    ],
)
def test_compares_what_went_through_json(one: object, other: object, expected: bool) -> None:
    """Tuples are lists, keys are texts, and floats are close; nothing else is let pass."""
    assert is_alike(one, other) is expected
    assert is_alike(other, one) is expected
