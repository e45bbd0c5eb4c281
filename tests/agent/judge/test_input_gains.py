"""What is announced and told where made inputs take most of the time: the real calls, and the call that loses most."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.input_gains import measure_real_calls, outweighed_calls, told_of_losses, told_of_made
from afterburner.agent.judge.measuring.sampling import Block, Sample, add_up
from afterburner.agent.judge.running_original import measure_original
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.judge.version_comparison import (
    ComparisonDecision,
    VersionFindings,
    VersionJudge,
)
from afterburner.agent.options import RunSettings
from afterburner.agent.session.preparing import prepared_bench
from afterburner.agent.types import Decision, Gain, Objective
from afterburner.sandbox import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.sandbox import Sandbox

    Announced: TypeAlias = Callable[[str, str], VersionFindings]

# The made inputs are edge cases of the real calls, as there is no type hint. Some of them end with a letter that no
# real call ends with, and take far longer.
DEAR_IF_MADE = """\
def weigh(text):
    if text[-1:] in ("a", "p", "f"):
        return sum(range(30_000))
    total = 0
    for character in text * 20:
        total += ord(character)
    return total


if __name__ == "__main__":
    for text in ("apple", "pear", "fig tree"):
        print(weigh(text))
"""
HALF_THE_WORK = DEAR_IF_MADE.replace("text * 20:", "text * 10:").replace("ord(character)\n", "2 * ord(character)\n")
CHEAP_IF_MADE = HALF_THE_WORK.replace("sum(range(30_000))", "449_985_000")
DEARER_IF_MADE = HALF_THE_WORK.replace("sum(range(30_000))", "sum(range(30_000)) + 0 * sum(range(90_000))")


@pytest.fixture
def announced(tmp_path: Path, sandbox: Sandbox) -> Announced:
    """What a measurement of two texts of one file announces."""

    def measure(before: str, after: str) -> VersionFindings:
        path = tmp_path / "weights.py"
        path.write_text(before, encoding="utf-8")
        target = find_target(path, "weigh")
        settings, environment = RunSettings(file=str(path), function="weigh"), stage(target, sandbox).environment
        bench, original = measure_original(prepared_bench(settings, target, sandbox, environment, lambda _: None))
        judge, deadline = TwoSidedJudge(Objective.TIME, 0.05, 0), Deadline.after(600)
        confirming = Confirming(bench, judge, deadline, lambda _: None)
        other = Incumbent("after", after, original.measurement, ratio=1.0)
        comparing = VersionJudge(bench, judge, deadline, lambda _: None)
        found = comparing._announced(comparing.measure(confirming, other, original), after)
        assert found.gain is not None, found.reason
        return found

    return measure


@pytest.mark.timed
@pytest.mark.slow
def test_a_gain_and_a_loss_that_made_inputs_hide_are_told(announced: Announced) -> None:
    same = DEAR_IF_MADE.replace("text * 20:", "text * 2:").replace("ord(character)\n", "10 * ord(character)\n")
    gain = announced(DEAR_IF_MADE, same)
    assert gain.decision is ComparisonDecision.SAME
    assert gain.caveat.startswith("on the 3 real calls alone, without made inputs, it gains ")
    assert re.search(r" with made inputs, but .*x \(.*\) on the 3 real calls$", gain.reason), gain.reason
    loss = announced(same, DEAR_IF_MADE)
    assert re.match(r"on the 3 real calls alone, without made inputs, it takes [\d.]+x of the time", loss.caveat)


@pytest.mark.timed
@pytest.mark.slow
def test_the_gain_on_real_calls_is_announced_where_one_made_input_gains_far_more(announced: Announced) -> None:
    """The gain that the test decided on stands beside it, with the made input that most of it comes from."""
    found = announced(DEAR_IF_MADE, CHEAP_IF_MADE)
    assert found.decision is ComparisonDecision.FASTER
    assert found.gain is not None
    assert found.all_inputs is not None
    assert found.tested_gain == found.all_inputs
    assert found.gain.high < found.all_inputs.low
    assert re.fullmatch(r"CPU time .*x \(.*\) on the 3 real calls", found.reason), found.reason
    assert re.match(r"with made inputs, it gains .*x, the most on weigh\('.*'\): .*x faster, ", found.caveat), (
        found.caveat
    )
    assert found.before is not None
    assert found.after is not None
    assert found.before.cpu_time_s < 5 * found.after.cpu_time_s, "the times are those of the real calls"


@pytest.mark.timed
@pytest.mark.slow
def test_a_comparison_tells_the_call_that_loses_most(announced: Announced) -> None:
    found = announced(*(each.replace('"fig tree"', '"fig tree" * 9_000') for each in (DEAR_IF_MADE, DEARER_IF_MADE)))
    assert found.decision is ComparisonDecision.FASTER
    assert re.search(
        r"of the timed calls it loses most on weigh\('.*'\): .*x slower, .* before and .* after", found.caveat
    )


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
    said = compared(ratio)
    real = outweighed_calls(handmade_bench(), Objective.TIME, said)
    assert (real.told if real is not None else "") == told
    assert bool(told_of_losses(handmade_bench(), Objective.TIME, said)) == (ratio == 0.5)


def test_made_inputs_are_told_with_the_one_that_changes_most() -> None:
    real = outweighed_calls(handmade_bench(), Objective.TIME, compared(1.1))
    assert real is not None
    told = "with made inputs, it gains 2.30x, the most on f(): 2.30x faster, 9.00 s before and 3.91 s after"
    assert told_of_made(Gain(2.3, 2.2, 2.4, 0.98, 8), real) == told


@pytest.mark.parametrize(
    ("whole", "real", "shows"),
    [
        ((117, 110, 121), (1.71, 1.65, 1.8), True),
        ((117, 110, 121), (1.04, 1.01, 1.09), False),
        ((117, 110, 121), (0.5, 0.4, 0.6), False),
        ((0.1, 0.08, 0.12), (0.7, 0.6, 0.8), True),
        ((0.1, 0.08, 0.12), (1.7, 1.6, 1.8), False),
        ((1.0, 0.98, 1.02), (1.7, 1.6, 1.8), False),
    ],
)
def test_real_calls_are_announced_only_if_they_show_what_was_decided(
    whole: tuple[float, float, float], real: tuple[float, float, float], shows: bool
) -> None:
    """They are measured again, by themselves."""
    outweighed = outweighed_calls(handmade_bench(), Objective.TIME, compared(1.1))
    assert outweighed is not None
    blocks = [handmade_block([1e-3], [1e-3 / real[0]]) for _ in range(8)]
    said = Comparison.of_blocks(Decision.IMPROVED, "", Gain(*real, 0.98, 8), blocks)
    judge: Any = SimpleNamespace(objective=Objective.TIME, confirm=lambda *_args, **_more: (said, None))
    measured = measure_real_calls(handmade_bench(), judge, "", outweighed, Deadline.after(60))
    assert measured is not None
    assert measured.shows(Gain(*whole, 0.98, 8), 1.05) is shows
    assert measured.told.endswith(" on the 1 real call")


def test_real_calls_that_could_not_be_measured_are_not_announced() -> None:
    outweighed = outweighed_calls(handmade_bench(), Objective.TIME, compared(1.1))
    assert outweighed is not None
    late = Comparison(Decision.REFUSED, "the time budget ended")
    judge: Any = SimpleNamespace(objective=Objective.TIME, confirm=lambda *_args, **_more: (late, None))
    assert measure_real_calls(handmade_bench(), judge, "", outweighed, Deadline.after(60)) is None


@pytest.mark.parametrize("is_steady", [True, False])
def test_a_call_that_loses_in_some_blocks_alone_is_not_told(is_steady: bool) -> None:
    blocks = [handmade_block([9.0, 1e-6], [3.0, 2e-6 if is_steady or number else 0.9e-6]) for number in range(8)]
    said = Comparison(Decision.IMPROVED, "", Gain(3.0, 2.9, 3.1, 0.98, 8), blocks=tuple(blocks))
    told = "of the timed calls it loses most on g(): 2.00x slower, 1.00 µs before and 2.00 µs after"
    assert told_of_losses(handmade_bench(), Objective.TIME, said) == (told if is_steady else "")


def handmade_bench() -> Any:
    """What both ask a bench for."""
    return SimpleNamespace(
        timed_calls=lambda: CALLS,
        by_cases=False,
        target=SimpleNamespace(source=""),
        source_of_calls=lambda *_args: None,
    )


def compared(ratio: float) -> Comparison:
    """Of a made call of seconds that gains 2.3x, and a real one of a millisecond that gains this much."""
    blocks = [handmade_block([9.0, 1e-3], [9.0 / 2.3, 1e-3 / ratio]) for _ in range(8)]
    return Comparison(Decision.IMPROVED, "", Gain(3.0, 2.9, 3.1, 0.98, 8), blocks=tuple(blocks))


def handmade_block(before_s: list[float], after_s: list[float]) -> Block:
    """A block whose inputs took these times, of one sample a side."""
    before, after = (
        tuple(Measurement(each, each, 1024, 1024.0, 3, 0.01, "test") for each in side) for side in (before_s, after_s)
    )
    samples = [(Sample(add_up(side), add_up(side), side),) for side in (before, after)]
    return Block(samples[0], samples[1], (before, after))
