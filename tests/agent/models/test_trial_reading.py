"""A long answer is read on trial first, in a process that ends with its time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.additions import RewriteError
from afterburner.agent.deadline import Deadline
from afterburner.agent.models.prompts import trial_reading
from afterburner.agent.models.prompts.reading_answers import MAX_ANSWER_CHARS, proposal_from
from afterburner.agent.models.prompts.trial_reading import LONG_CHARS, try_reading
from afterburner.sandbox import CancelledError, CancelToken
from afterburner.sandbox.cancel import cancellable

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]

SOURCE = "def f(x):\n    return x\n"
FORMAT = "<thinking>t</thinking>\n<solution>\n```python\n{}```\n</solution>"
HELPERS = "".join(f"def h{at}(x):\n    return h{at + 1}(x)\n" for at in range(700)) + "def h700(x):\n    return x\n"
LONG = FORMAT.format(f"{HELPERS}def f(x):\n    return h0(x)\n")
# What Python itself takes the square of the length for.
SLOW = FORMAT.format(f"def f(x):\n    return {' and '.join(['x'] * 27_000)}\n")


@pytest.fixture
def target(make_target: MakeTarget) -> Target:
    return make_target(SOURCE, "f")


def test_a_long_answer_is_read_as_a_short_one_is(target: Target) -> None:
    assert len(LONG) > LONG_CHARS
    proposal = proposal_from(LONG, target, "m")
    assert proposal.error == ""
    assert proposal.rewrite is not None
    assert len(proposal.rewrite.helpers) == 701


def test_an_answer_that_takes_too_long_is_refused(target: Target) -> None:
    assert LONG_CHARS < len(SLOW) < MAX_ANSWER_CHARS
    with pytest.raises(RewriteError, match=r"^The answer takes more than 0\.2 s or 2 GiB to be read\.$"):
        try_reading(SLOW, target, {}, most_s=0.2)


def test_the_time_of_the_run_holds_for_reading(target: Target) -> None:
    over = Deadline.after(0)
    assert proposal_from(LONG, target, "m", until=over).error == (
        "The time of the run was over before this answer was read."
    )
    assert proposal_from(FORMAT.format(SOURCE), target, "m", until=over).error == "", "a short one takes no time"
    assert proposal_from(SLOW, target, "m", until=Deadline.after(2)).error.startswith("The answer takes more than 0.2")


def test_an_answer_that_takes_too_much_memory_is_refused(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_reading, "MOST_BYTES", 16 << 20)
    large = FORMAT.format(f"def f(x):\n    return [{'1, ' * 60_000}]\n")
    assert "GiB to be read" in proposal_from(large, target, "m").error


def test_reading_ends_with_the_run(target: Target) -> None:
    token = CancelToken()
    token.cancel()
    with cancellable(token), pytest.raises(CancelledError):
        proposal_from(LONG, target, "m")


def test_what_is_wrong_with_a_long_answer_is_told_as_that_of_a_short_one(target: Target) -> None:
    for code in ("def f(x:\n", "def g(x):\n    return x\n", "def f(y):\n    return y\n"):
        short = proposal_from(FORMAT.format(code), target, "m")
        long = proposal_from(FORMAT.format(code + "# …\n" * LONG_CHARS), target, "m")
        assert (long.error, long.rewrite is None) == (short.error, short.rewrite is None)


def test_a_program_in_another_language_is_read_on_trial_too(target: Target) -> None:
    program = replace(target, language="cpp", function=None, source="int main() {}\n")
    answer = FORMAT.format("int main() { return 0; }\n" + "// more\n" * LONG_CHARS).replace("```python", "```cpp")
    assert proposal_from(answer, program, "m").error == ""
