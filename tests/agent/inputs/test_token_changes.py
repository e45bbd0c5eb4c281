"""Texts of recorded calls with a token less, twice, otherwise written, or another in its place."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

from afterburner.agent.inputs.inside.token_changes import LONGEST_TEXT, token_changes


def drawn(*roots: Any, count: int = 400) -> list[tuple[int, Any]]:
    return list(islice(token_changes(list(roots), Random(0)), count))


def test_one_token_of_a_text_is_less_or_twice_or_another_ones() -> None:
    made = [args[0] for _, (args, _) in drawn([["<a><b>1</b></a>"], {}], [["<c>no</c>"], {}], count=8_000)]
    assert {"<a><b></b></a>", "<a><b>11</b></a>", "<a><b>no</b></a>", "<c></c>", "<a<b>1</b></a>"} <= set(made)


def test_a_number_in_a_text_is_negative_or_written_in_another_way() -> None:
    made = {args[0] for _, (args, _) in drawn([["a.b.7"], {}], count=4_000)}
    assert {"a.b.-7", "a.b.0", "a.b.07", "a.b.+7", "a.b.7.5"} <= made


def test_a_word_in_a_text_has_other_capitals_or_a_mark_before_it() -> None:
    made = {args[0] for _, (args, _) in drawn([["Jan van Ek"], {}], count=8_000)}
    assert {"Jan 'van Ek", "Jan Van Ek", "jan van Ek", "Jan van EK", "Jan van .Ek", "Jan van Ek1"} <= made


def test_blanks_of_other_kinds_stand_in_a_text() -> None:
    made = {args[0] for _, (args, _) in drawn([["Ek, J."], {}], count=8_000)}
    assert {"Ek,\xa0J.", "Ek,\nJ.", "Ek, J\xa0.", "Ek ,\x20J.", "\tEk, J.", "Ek, J.\u2003"} <= made


def test_all_else_of_the_call_stays_and_its_number_is_told() -> None:
    made = drawn([[3, "a b"], {"sep": ", "}], [[4], {"text": "x-y"}])
    assert {number for number, _ in made} == {0, 1}
    for number, (args, kwargs) in made:
        if number == 0:
            assert args[0] == 3
            assert (args[1] == "a b") != (kwargs["sep"] == ", "), "one of the two at a time"
        else:
            assert args == [4]
    assert {"x-", "-y", "xy"} <= {kwargs["text"] for number, (_, kwargs) in made if number == 1}


def test_texts_in_a_list_change_one_at_a_time_and_other_arguments_as_often() -> None:
    made = [args for _, (args, _) in drawn([["x y", ["a b", "c d", "one", *["e f"] * 20], 7], {}], count=4_000)]
    lists = [args[1] for args in made if args[0] == "x y"]
    assert len(made) * 0.4 < len(lists) < len(made) * 0.6
    assert {(" b", "c d"), ("ab", "c d"), ("a b", "C d"), ("a b", " d"), ("a b", "c  d")} <= {
        tuple(each[:2]) for each in lists
    }
    assert {each[2] for each in lists} == {"one"}


def test_there_are_none_without_a_text_of_several_tokens() -> None:
    assert drawn([["word", 5], {}], [["long " * LONGEST_TEXT], {}]) == []
