"""What is told of the real calls alone, and of the call that loses most, where others take most of the time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.input_gains import told_of_losses
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.judge.version_comparison import VersionJudge, measure_original
from afterburner.agent.options import RunSettings
from afterburner.agent.session.preparing import prepared_bench
from afterburner.agent.types import Decision, Objective

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow
BEFORE = """\
def weigh(text: str) -> int:
    if not text:
        return sum(range(30_000))
    total = 0
    for character in text * 20:
        total += ord(character)
    return total


if __name__ == "__main__":
    for text in ("apple", "pear", "fig tree"):
        print(weigh(text))
"""
AFTER = BEFORE.replace("text * 20:", "text:").replace("ord(character)\n", "20 * ord(character)\n")


@pytest.fixture
def told(tmp_path: Path, sandbox: Sandbox) -> Callable[[str, str], str]:
    """What a measurement of two texts of one file tells beside its gain."""

    def tell(before: str, after: str) -> str:
        path = tmp_path / "weights.py"
        path.write_text(before, encoding="utf-8")
        target = find_target(path, "weigh")
        settings, environment = RunSettings(file=str(path), function="weigh"), stage(target, sandbox).environment
        bench, original = measure_original(prepared_bench(settings, target, sandbox, environment, lambda _: None))
        judge, deadline = TwoSidedJudge(Objective.TIME, 0.05, 0), Deadline.after(60)
        confirming = Confirming(bench, judge, deadline, lambda _: None)
        other = Incumbent("after", after, original.measurement, ratio=1.0)
        found = VersionJudge(bench, judge, deadline, lambda _: None).measure(confirming, other, original)
        assert found.gain is not None, found.reason
        return found.caveat

    return tell


def test_a_gain_and_a_loss_that_made_inputs_outweigh_are_told(told: Callable[[str, str], str]) -> None:
    assert told(BEFORE, AFTER).startswith("on the 3 real calls alone, without made inputs, it gains ")
    loss = told(AFTER, BEFORE)
    assert loss.startswith("on the 3 real calls alone, without made inputs, it takes ")
    assert loss.endswith("x of the time")


def test_the_call_that_loses_most_is_told_with_both_times(tmp_path: Path, sandbox: Sandbox) -> None:
    before = """\
def common(left, right):
    return [each for each in left if each in right]


if __name__ == "__main__":
    print(len(common(list(range(600)), list(range(0, 1200, 2)))), common([], list(range(900))))
"""
    after = before.replace("    return [", "    right = set(right)\n    return [")
    path = tmp_path / "commons.py"
    path.write_text(before, encoding="utf-8")
    target = find_target(path, "common")
    settings, environment = RunSettings(file=str(path), function="common"), stage(target, sandbox).environment
    bench, original = measure_original(prepared_bench(settings, target, sandbox, environment, lambda _: None))
    source, _ = bench.block_source(original.source, [after], Objective.TIME, held_out=True)
    said, _ = TwoSidedJudge(Objective.TIME, 0.05, 0).confirm(source, Deadline.after(60), held_out_from=0)
    assert said.decision is Decision.IMPROVED, said.reason
    loss = told_of_losses(bench, Objective.TIME, said)
    assert re.fullmatch(r"it loses most on common\(\[\], \[0, .*\]\): .*x slower, .* before and .* after", loss), loss
    assert not told_of_losses(bench, Objective.MEMORY, said)


def test_nothing_is_told_where_all_inputs_say_the_same(told: Callable[[str, str], str]) -> None:
    assert not told(BEFORE, BEFORE.replace("total = 0", "total = +0"))
