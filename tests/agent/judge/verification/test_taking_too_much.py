"""A rewrite that takes more of an iterator than the original leaves less of it to its caller."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

if TYPE_CHECKING:
    from .conftest import Compare

FIRST = """\
def f(limit, numbers):
    for number in numbers:
        if number > limit:
            return number
    return None
"""
GREEDY = "def f(limit, numbers):\n    return next((each for each in list(numbers) if each > limit), None)\n"
SHORT = "def f(limit, numbers):\n    return next((each for each in numbers if each > limit), None)\n"
CALLS = "f(10, (n * 7 % 31 for n in range(40)))\nf(3, (n * 5 % 31 for n in range(40)))"


@pytest.mark.nightly
@pytest.mark.slow
def test_what_is_left_of_an_iterator_is_compared_and_the_call_can_be_pasted(compare: Compare) -> None:
    assert isinstance(compare(FIRST, SHORT, CALLS), Agreement)
    found = compare(FIRST, GREEDY, CALLS)
    assert isinstance(found, Counterexample)
    [call] = found.calls
    assert "iter([" in call
    namespace: dict[str, object] = {}
    exec(FIRST, namespace)  # noqa: S102 - the function above
    assert f"returned {eval(call, namespace)!r}" in found.expected  # noqa: S307 - what it shows can be run
