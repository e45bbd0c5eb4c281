"""What a provider of models may read of a counterexample: the shape of the calls, and values that anybody would try."""

from __future__ import annotations

import pytest

from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.agent.judge.verification.told_shapes import told_shapes

MADE, REAL = "constant of the code", "captured from __main__"


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            "f(['hunter2', 'hunter2'], 'other')",
            "f([<str of 7 characters, no. 1>, <no. 1>], <str of 5 characters>)",
        ),
        (
            "f(20240917, -17, 3.25, -0.5e-3, 12j)",
            "f(<int of 8 digits>, <negative int of 2 digits>, <float>, <negative float>, <complex>)",
        ),
        ("f(b'secret', {'key-of-it': 1})", "f(<bytes of 6 bytes>, {<str of 9 characters>: 1})"),
        ("f([], '', 'a', 'abba', ' ', 0, 9, -1, 0.5, 1.0, True, None, float('nan'))",) * 2,
        ("f('it\\'s; x = 1', \"o'clock\")", "f(<str of 11 characters>, <str of 7 characters>)"),
        ("f('cut off in the mid\u2026", "f(<str, shown in part>"),
        ("f('cut off at a slash\\", "f(<str, shown in part>"),
        ("f(datetime.date(2031, 1, 2))", "f(datetime.date(<int of 4 digits>, 1, 2))"),
        (
            "f(Decimal('1.75'), <Kind with x='secret'>)",
            "f(Decimal(<str of 4 characters>), <Kind with x=<str of 6 characters>>)",
        ),
        ("a = [77]; f(a, a)", "a = [<int of 2 digits>]; f(a, a)"),
        ("f(x1, 1_000, 1.2.3)", "f(x1, <int of 4 digits>, <number>)"),
    ],
)
def test_of_an_input_that_was_made_the_shape_is_told(call: str, told: str) -> None:
    assert told_shapes([call], "returned 2", MADE) == ([told], "returned 2")


@pytest.mark.parametrize("origin", [REAL, "doctest", "pytest: tests/test_f.py", "--calls calls.py"])
def test_what_stands_in_a_call_of_the_project_is_told_and_nothing_else(origin: str) -> None:
    calls, outcome = told_shapes(["f(['apple', 'pear'], 1234)"], "returned {'apple': 1234, 'hunter2': 99}", origin)
    assert calls == ["f(['apple', 'pear'], 1234)"]
    assert outcome == "returned {'apple': 1234, <str of 7 characters>: <int of 2 digits>}"


@pytest.mark.parametrize("origin", [MADE, REAL, "suggested by a model", "generated", "derived"])
def test_what_the_module_holds_is_never_told(origin: str) -> None:
    call = "a = [1]; TABLE = {'k; a = 2': 'hunter2'}; RATE = 0.19; f(a, a)"
    calls, outcome = told_shapes([call], "raised KeyError('hunter2'), printed 'RATE 0.19'", origin)
    assert calls == ["with what the module held then: a = [1]; f(a, a)"]
    assert outcome == "raised KeyError(<str of 7 characters>), printed <str of 9 characters>"


def test_equal_values_can_be_told_apart_from_others_across_calls_and_outcome() -> None:
    calls, outcome = told_shapes(
        ["f('one of them')", "f('two of them')", "f('one of them')"], "returned 'two of them'", MADE
    )
    assert calls == [
        "f(<str of 11 characters, no. 1>)", "f(<str of 11 characters, no. 2>)", "f(<no. 1>)",
    ]  # fmt: skip
    assert outcome == "returned <no. 2>"


def test_long_values_keep_their_sizes() -> None:
    _, outcome = told_shapes(["f(1)"], "returned ['abcde\u2026' (100 characters), \u2026 25 more]", MADE)
    assert outcome == "returned [<str, shown in part> (100 characters), \u2026 25 more]"


def test_models_are_told_the_shape_and_people_the_values() -> None:
    found = Counterexample(
        ("TABLE = {'x': 'hunter2'}; f('hunter2')", "f('hunter2')"),
        "returned 'hunter3'",
        "returned 'hunter4'",
        "returned 'hunter4' instead of 'hunter3'",
        MADE,
        (b"", b""),
    )
    assert found.told_to_models == (
        "after with what the module held then: f(<str of 7 characters, no. 1>): f(<no. 1>): "
        "the original returned <str of 7 characters>; the rewrite did something else"
    )
    assert (
        found.line
        == "after TABLE = {'x': 'hunter2'}; f('hunter2'): f('hunter2') returned 'hunter4' instead of 'hunter3'"
    )
