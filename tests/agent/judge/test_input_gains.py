"""What is told of the real calls alone, and of the call that loses most, where others take most of the time."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.input_gains import told_of_losses, told_of_real_calls
from afterburner.agent.judge.measuring.sampling import Block, Sample, add_up
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.judge.version_comparison import VersionJudge, measure_original
from afterburner.agent.options import RunSettings
from afterburner.agent.session.preparing import prepared_bench
from afterburner.agent.types import Decision, Gain, Objective
from afterburner.sandbox import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.sandbox import Sandbox

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


@pytest.mark.slow
def test_a_gain_and_a_loss_that_made_inputs_outweigh_are_told(told: Callable[[str, str], str]) -> None:
    assert told(BEFORE, AFTER).startswith("on the 3 real calls alone, without made inputs, it gains ")
    loss = told(AFTER, BEFORE)
    assert loss.startswith("on the 3 real calls alone, without made inputs, it takes ")
    assert loss.endswith("x of the time")


@pytest.mark.slow
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
    assert re.fullmatch(
        r"of the timed calls it loses most on common\(\[\], \[0, .*\]\): .*x slower, .* before and .* after", loss
    ), loss
    assert not told_of_losses(bench, Objective.MEMORY, said)


CALLS = [
    SimpleNamespace(origin="derived", description="f()"),
    SimpleNamespace(origin="pytest: test_it.py", description="g()"),
]


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        (2.3, ""),
        (4.6, "on the 1 real call alone, without made inputs, it gains 4.60x"),
        (0.5, "on the 1 real call alone, without made inputs, it takes 2.00x of the time"),
    ],
)
def test_real_calls_are_told_where_they_gain_more_or_less_than_all(ratio: float, told: str) -> None:
    """The gain that counts may be one of instructions, which differs from that of times on all calls alike."""
    blocks = [handmade_block([9.0, 1e-3], [9.0 / 2.3, 1e-3 / ratio]) for _ in range(8)]
    said = Comparison(Decision.IMPROVED, "", Gain(3.0, 2.9, 3.1, 0.98, 8), blocks=tuple(blocks))
    assert told_of_real_calls(handmade_bench(), Objective.TIME, said) == told
    assert bool(told_of_losses(handmade_bench(), Objective.TIME, said)) == (ratio == 0.5)


@pytest.mark.parametrize("is_steady", [True, False])
def test_a_call_that_loses_in_some_blocks_alone_is_not_told(is_steady: bool) -> None:
    blocks = [handmade_block([9.0, 1e-6], [3.0, 2e-6 if is_steady or number else 0.9e-6]) for number in range(8)]
    said = Comparison(Decision.IMPROVED, "", Gain(3.0, 2.9, 3.1, 0.98, 8), blocks=tuple(blocks))
    told = "of the timed calls it loses most on g(): 2.00x slower, 1.00 µs before and 2.00 µs after"
    assert told_of_losses(handmade_bench(), Objective.TIME, said) == (told if is_steady else "")


def handmade_bench() -> Any:
    """What both ask a bench for."""
    return SimpleNamespace(timed_calls=lambda: CALLS, by_cases=False)


def handmade_block(before_s: list[float], after_s: list[float]) -> Block:
    """A block whose inputs took these times, of one sample a side."""
    before, after = (
        tuple(Measurement(each, each, 1024, 1024.0, 3, 0.01, "test") for each in side) for side in (before_s, after_s)
    )
    samples = [(Sample(add_up(side), add_up(side), side),) for side in (before, after)]
    return Block(samples[0], samples[1], (before, after))
