"""What is told of a difference, and to whom."""

from __future__ import annotations

import pytest

from afterburner.agent.judge.verification.outcome import MAX_LINE, Counterexample


@pytest.mark.parametrize(
    ("actual", "told"),
    [
        ("returned 'hunter2'", "f(1): the original returned 2; the rewrite did something else"),
        ("raised ValueError('hunter2')", "f(1): the original returned 2; the rewrite raised ValueError"),
        ("raised Hunter2('x')", "f(1): the original returned 2; the rewrite raised an exception"),
        ("raised print('hunter2')", "f(1): the original returned 2; the rewrite raised an exception"),
    ],
)
def test_a_model_is_told_nothing_that_a_rewrite_could_choose(actual: str, told: str) -> None:
    found = Counterexample(("f(1)",), "returned 2", actual, f"{actual} instead of returned 2", "zero", (b"",))
    assert found.told_to_models == told
    assert "hunter2" not in found.told_to_models
    assert "hunter2" in found.line or "Hunter2" in found.line


def test_a_line_that_is_too_long_still_says_what_the_call_showed() -> None:
    found = Counterexample((f"f({'1' * 5000})",), "returned 2", "returned 1", "returned 1 instead of 2", "zero", (b"",))
    assert len(found.line) == MAX_LINE
    assert found.line.endswith("1) returned 1 instead of 2")
