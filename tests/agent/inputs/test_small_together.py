"""Several small arguments that are drawn at once, so that they have to do with one another."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import pytest

from afterburner.agent.inputs.inside.contract import Contract
from afterburner.agent.inputs.inside.input_cases import Knowledge
from afterburner.agent.inputs.inside.mixed_elements import ElementKinds
from afterburner.agent.inputs.inside.optional_arguments import Signature
from afterburner.agent.inputs.inside.related_values import Constants
from afterburner.agent.inputs.inside.returned_objects import RealObjects
from afterburner.agent.inputs.inside.small_together import small_together

DRAWS = 2_000


def cut(text: str, limit: int = 0, whole: bool = False, separator: str = " ") -> str:
    """The function that the calls are of."""
    return text[:limit] if whole else separator.join(text.split(separator))


def drawn(
    root: list[Any], defaults: dict[str, Any], constants: tuple[Any, ...] = (), scalars: dict[str, Any] | None = None
) -> list[Any]:
    signature = Signature(["text", "limit", "whole", "separator"], defaults, set(), set(), set(), scalars or {})
    knowledge = Knowledge(
        signature, set(), Constants(constants), "cut", Contract(cut, "", []), ElementKinds([]), RealObjects([])
    )
    return list(islice(small_together(root, [root], knowledge, Random(0)), DRAWS))


def test_texts_hold_runs_of_the_separator_beside_them_and_limits_are_about_their_length() -> None:
    made = drawn([["one two", 5, False, "-"], {}], {})
    assert any(separator and separator * 2 in text for (text, _, _, separator), _ in made)
    assert any(len(separator) > 1 and len(set(separator)) == 1 for (_, _, _, separator), _ in made)
    for away in (-1, 0, 1):
        assert any(limit == len(text) + away and text for (text, limit, _, _), _ in made), away
    assert any(limit < 0 for (_, limit, _, _), _ in made)
    combined = [
        separator * 2 in text.strip(separator) and limit == len(text) and whole
        for (text, limit, whole, separator), _ in made
        if separator
    ]
    assert any(combined), "all of it at once"


def test_runs_that_are_no_multiple_of_the_separator_come_up_beside_the_switch_and_a_small_limit() -> None:
    """There alone `removesuffix` in place of `strip` differs: it leaves a part of ":::" where the separator is "::"."""
    made = drawn([["one two", 5, True, "-"], {}], {})
    differing = [
        (separator, limit)
        for (text, limit, whole, separator), _ in made
        if whole and len(separator) == 2 and separator + separator[0] in text.strip(separator) and 0 < limit < len(text)
    ]
    assert len(set(differing)) > 3


def test_what_has_a_default_is_given_too_and_the_separator_may_be_one_of_the_code() -> None:
    made = drawn([["one two"], {}], {"limit": 0, "whole": False, "separator": " "}, constants=("::",))
    assert {frozenset(kwargs) for _, kwargs in made} >= {frozenset(), frozenset({"limit", "whole", "separator"})}
    assert any("::" in args[0] for args, _ in made)
    switched = [kwargs["whole"] for _, kwargs in made if "whole" in kwargs]
    assert set(switched) == {True, False}


@pytest.mark.parametrize("root", [[["alone"], {}], [[None, 7], {}], [[{}, len], {}]])
def test_one_argument_alone_is_left_to_others(root: list[Any]) -> None:
    assert drawn(root, {}) == []


def test_sequences_are_of_few_elements_and_of_the_scalar_beside_them() -> None:
    made = drawn([[[4, 5], 9], {}], {})
    assert any(9 in values and values.count(9) > 1 for (values, _), _ in made)
    assert any(len(values) == size for (values, size), _ in made)
    assert all(type(values) is list for (values, _), _ in made)


def test_where_a_hint_names_a_type_beside_none_small_values_of_it_are_given() -> None:
    made = drawn(
        [[b"data", 5], {}], {"whole": None, "separator": None}, scalars={"separator": [""], "whole": [0, False]}
    )
    assert any(args[0] and kwargs.get("separator") == "" for args, kwargs in made), "bytes beside an empty text"
    assert {type(kwargs["whole"]) for _, kwargs in made if "whole" in kwargs} == {int, bool}
    given = drawn([["one", None], {}], {}, scalars={"limit": [0]})
    assert all(type(limit) is int for (_, limit), _ in given)
