"""What a report says of the project's tests."""

from __future__ import annotations

import pytest

from afterburner.agent.evidence.classes import Fit
from afterburner.agent.evidence.growth import Growth
from afterburner.agent.inputs.harness_answers import Suite
from afterburner.agent.types import Skipped
from afterburner.ci_action.findings import _grows_faster, _tests_without_use
from afterburner.ci_action.optimizing import suite_notes

A_TEST = "pytest: tests/test_shop.py::test_total"


def test_tests_that_fail_are_named_and_calls_that_cannot_be_copied_are_no_failures() -> None:
    failing = [Skipped(f"{A_TEST}[{number}]", f"the test fails here: AssertionError {number}") for number in range(4)]
    uncopied = Skipped("pytest: tests/test_shop.py", "arguments cannot be copied: a lock")
    [line] = _tests_without_use([uncopied, *failing], ["pytest: tests/test_shop.py"])
    names = ", ".join(f"tests/test_shop.py::test_total[{number}]" for number in range(3))
    assert line == f"tests that fail on the original, too: {names}, … (AssertionError 0)"
    assert not list(_tests_without_use([uncopied], ["pytest: tests/test_shop.py"]))


def test_it_is_said_why_tests_gave_no_inputs_where_none_came_from_them() -> None:
    skipped = [Skipped("pytest", "it ran longer than 10 s")]
    assert list(_tests_without_use(skipped, ["generated"])) == [
        "no inputs from the project's tests: it ran longer than 10 s"
    ]
    assert not list(_tests_without_use(skipped, ["generated", "pytest: tests/test_shop.py"]))


def test_what_failed_before_anything_was_changed_is_noted() -> None:
    assert list(suite_notes(Suite(9, ("tests/a.py::test_a",), complete=False))) == [
        "1 test failed before anything was changed: tests/a.py::test_a",
        "the tests did not run to their end, so that what the others call is not known",
    ]
    assert not list(suite_notes(Suite(9, (), complete=True)))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (("n", 1.0), ("n²", 1.9), ", and it grows faster with len(src): n → n²"),
        (("n", 1.0), ("n log n", 1.1), ""),  # may be chance
        (("n²", 1.9), ("n", 1.0), ""),
        (("n", 1.0), ("n", 1.4), ""),
    ],
)
def test_a_slow_down_that_grows_with_the_input_is_told_with_its_figure(
    before: tuple[str, float], after: tuple[str, float], said: str
) -> None:
    original, winner = (Fit(name, 0.0, 1.0, exponent, 0.01, name) for name, exponent in (before, after))
    assert _grows_faster(Growth("len(src)", (), original, winner)) == said
    assert not _grows_faster(None)
    assert not _grows_faster(Growth(note="cannot tell"))
