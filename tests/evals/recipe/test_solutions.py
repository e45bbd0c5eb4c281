"""Which human solutions are tried, and in which order."""

from __future__ import annotations

from afterburner.evals.recipe.solutions import distinct, in_trial_order
from afterburner.evals.recipe.split import split_of


def test_texts_that_differ_in_whitespace_are_one() -> None:
    """The first of them counts; other texts stay, empty ones go."""
    given = ["a = 1\nprint(a)\n", "a  =  1\r\n\n\nprint(a)", "a=1\nprint(a)\n", "", " \n", "\ta = 1\n print(a)"]
    assert distinct(given) == ["a = 1\nprint(a)\n", "a=1\nprint(a)\n"]


def test_the_choice_is_spread_over_lengths_whatever_the_order() -> None:
    """Ten groups of ten lengths each: the first ten are one of each group, and everything is tried once."""
    codes = ["x" * length for length in range(1, 101)]
    order = in_trial_order(codes, 10, "seed")
    assert order == in_trial_order(codes[::-1], 10, "seed")
    assert order != in_trial_order(codes, 10, "another")
    assert sorted((len(code) - 1) // 10 for code in order[:10]) == list(range(10))
    assert sorted(order, key=len) == codes


def test_without_a_most_all_are_tried_as_given() -> None:
    """Nothing is chosen, so nothing is shuffled; groups may be larger than what there is."""
    assert in_trial_order(["b", "a"], None, "seed") == ["b", "a"]
    assert sorted(in_trial_order(["b", "a"], 16, "seed")) == ["a", "b"]


def test_a_split_depends_on_the_id_alone() -> None:
    """The share is about what was asked for, and a larger test split holds the smaller one."""
    names = [str(number) for number in range(2000)]
    test = {name for name in names if split_of(name, 0.25) == "test"}
    assert 400 < len(test) < 600
    assert test < {name for name in names if split_of(name, 0.5) == "test"}
    assert {split_of(name, 0.0) for name in names} == {"train"}
    assert {split_of(name, 1.0) for name in names} == {"test"}
