"""What a comparison makes of a version that reaches the time limit: slower or no answer, never different."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import find_target
from afterburner.agent.deadline import Deadline
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.evidence.growth import Growth, GrowthPoint
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge import version_comparison
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.lacking_time import OUT_OF_TIME, told_of_blocks
from afterburner.agent.judge.later_calls import Again
from afterburner.agent.judge.measuring.figures import CPU
from afterburner.agent.judge.slower_on_larger import NO_LARGER, NOT_LARGER, LargerGlances, Tried, unseen_gain
from afterburner.agent.judge.text_objections import TextObjections, texts_to_hold_against
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.judge.version_comparison import (
    ComparisonDecision,
    VersionFindings,
    VersionJudge,
)
from afterburner.agent.options import RunSettings
from afterburner.agent.page.comparison_section import likely_gain
from afterburner.agent.session.preparing import prepared_bench
from afterburner.agent.types import Decision, Gain, Objective, Workload
from afterburner.agent.wording import LARGER_CALLS
from afterburner.sandbox import Measurement

from .conftest import JumpingClock, blocks_of, sample, used

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow
LIMIT_S = 2.0  # far more than it takes to start a process, on a busy machine, too
BEFORE = """\
import time


def total(n):
    return n * (n + 1) // 2


if __name__ == "__main__":
    for n in (200_000, 250_000, 300_000):
        print(total(n))
"""
ENDLESS = BEFORE.replace("    return", "    while n == 300_000:\n        pass\n    return")
WRONG_AND_ENDLESS = ENDLESS.replace("// 2", "// 2 + (n == 200_000)")
ENDLESS_ON_MADE_INPUTS = BEFORE.replace("    return", "    while n < 1_000:\n        pass\n    return")
SLEEPING = BEFORE.replace("    return", "    time.sleep(0.6 * (n == 300_000))\n    return")


@pytest.fixture(scope="module")
def bench_of(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Callable[[str], Workbench]:
    """BEFORE with its inputs; prepared once for each text."""

    @cache
    def make(text: str) -> Workbench:
        path = tmp_path_factory.mktemp("project") / "summing.py"
        path.write_text(text, encoding="utf-8")
        target = find_target(path, "total")
        settings, environment = RunSettings(file=str(path), function="total"), stage(target, sandbox).environment
        return prepared_bench(settings, target, sandbox, environment, lambda _: None)

    return make


@pytest.fixture
def compared(bench_of: Callable[[str], Workbench]) -> Callable[..., VersionFindings]:
    """Compare two texts of one file under a small limit."""

    def compare(
        before: str, after: str, objective: Objective = Objective.TIME, *, texts: str = "", limit_s: float = LIMIT_S
    ) -> VersionFindings:
        bench = bench_of(before)
        bench = replace(bench, limits=replace(bench.limits, wall_time_s=limit_s, cpu_time_s=limit_s))
        judge = TwoSidedJudge(objective, 0.05, 0)
        return VersionJudge(bench, judge, Deadline.after(60), lambda _: None, TextObjections(texts)).compare(after)

    return compare


@pytest.mark.nightly
def test_a_version_that_does_not_end_where_the_other_needs_little_is_slower(
    compared: Callable[..., VersionFindings],
) -> None:
    found = compared(BEFORE, ENDLESS)
    assert found.decision == "slower", found.reason
    assert "time limit of 2 s on total(300000), where BEFORE needs" in found.reason
    assert "s for the whole process: at least" in found.reason
    assert found.reason.endswith("x as long")
    assert found.gain is None
    assert found.counterexample is None


@pytest.mark.nightly
def test_a_call_that_ends_and_is_wrong_shows_a_difference_all_the_same(
    compared: Callable[..., VersionFindings],
) -> None:
    found = compared(BEFORE, WRONG_AND_ENDLESS, limit_s=3 * LIMIT_S)  # the call that ends must never be the late one
    assert found.decision == "different", found.reason
    assert found.counterexample is not None, found.reason
    assert found.counterexample.shown_calls == "total(200000)"


@pytest.mark.nightly
def test_a_version_that_does_not_end_on_an_input_made_for_it_is_slower(
    compared: Callable[..., VersionFindings],
) -> None:
    found = compared(BEFORE, ENDLESS_ON_MADE_INPUTS)
    assert found.decision == "slower", found.reason
    assert "time limit of 2 s on total(" in found.reason


@pytest.mark.nightly
def test_no_answer_is_given_where_before_is_near_the_limit_itself(compared: Callable[..., VersionFindings]) -> None:
    found = compared(SLEEPING, SLEEPING.replace("0.6", "5.0"))
    assert found.decision == "too_noisy", found.reason
    assert "cannot be told" in found.reason
    assert not found.objection


def test_nothing_is_said_where_before_itself_reaches_the_limit(compared: Callable[..., VersionFindings]) -> None:
    found = compared(BEFORE, ENDLESS, limit_s=0.01)
    assert found.decision == "too_noisy"
    assert "BEFORE itself reached the time limit" in found.reason


def test_a_time_limit_that_is_reached_only_when_samples_are_taken_is_a_loss_too(
    bench_of: Callable[[str], Workbench],
) -> None:
    bench, judge = bench_of(BEFORE), TwoSidedJudge(Objective.TIME, 0.05, 0)
    bench = replace(bench, limits=replace(bench.limits, wall_time_s=LIMIT_S, cpu_time_s=LIMIT_S))
    comparing = VersionJudge(bench, judge, Deadline.after(60), lambda _: None)
    confirming = Confirming(bench, judge, comparing.deadline, lambda _: None)
    before, after = (Incumbent("", text, Measurement(1.0, 1.0, 1, 1.0), ratio=1.0) for text in (BEFORE, ENDLESS))
    found = comparing.measure(confirming, after, before)
    assert found.decision == "slower", found.reason
    assert "the calls that are measured" in found.reason
    assert re.search(r"s for all \d+ calls in one process: at least", found.reason), "not of one call"


def test_a_test_that_the_time_ends_says_what_it_had_measured(
    bench_of: Callable[[str], Workbench], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(version_comparison, "BLOCKS_TOLD", 1)
    clock = JumpingClock()

    def end_with_first_block(event: ProgressEvent) -> None:
        if event.kind is EventKind.BLOCKS_TAKEN:
            clock.ahead_s = 1e6

    bench, judge = bench_of(BEFORE), TwoSidedJudge(Objective.TIME, 0.05, 0)
    comparing = VersionJudge(bench, judge, Deadline.after(600, clock), end_with_first_block)
    confirming = Confirming(bench, judge, comparing.deadline, lambda _: None)
    texts = (BEFORE.replace("n * (n + 1)", "(n * n + n)"), BEFORE)
    after, before = (Incumbent("", text, Measurement(1.0, 1.0, 1, 1.0), ratio=1.0) for text in texts)
    found = comparing.measure(confirming, after, before)
    assert found.decision == "too_noisy"
    told = r"so far, which proves nothing: only \d+ of at most \d+ blocks of fresh runs could be measured before the"
    assert re.search(told, found.reason), found.reason
    assert comparing.measure(confirming, after, before).reason == OUT_OF_TIME, "nothing was measured"


@pytest.mark.parametrize(("before_s", "told"), [(2.0, "CPU time 2.00x better"), (0.5, "2.00x of the CPU time")])
def test_what_was_measured_so_far_is_told_whichever_version_seems_faster(before_s: float, told: str) -> None:
    said = told_of_blocks(blocks_of(sample(used(before_s)), sample(used(1.0)), 4), 16, CPU)
    few = (
        "only 4 of at most 16 blocks of fresh runs could be measured before the time was over; give --max-seconds more"
    )
    assert said == f"{told} so far, which proves nothing: {few}"


def test_a_time_limit_says_nothing_of_memory(compared: Callable[..., VersionFindings]) -> None:
    assert compared(BEFORE, ENDLESS, Objective.MEMORY).decision == "too_noisy"


def test_a_time_that_before_owes_to_a_suspicious_text_makes_no_version_slower(
    compared: Callable[..., VersionFindings],
) -> None:
    found = compared(BEFORE, ENDLESS, texts="of BEFORE: it reads its caller")
    assert (found.decision, found.objection) == ("too_noisy", "of BEFORE: it reads its caller")


LISTENING = "import socket\n\ndef listen():\n    return socket.socket()\n"


@pytest.mark.parametrize(
    ("old", "new", "objects_to"),
    [
        ({"wire.py": LISTENING}, {"wire.py": None}, ("", "")),  # AFTER lacks it
        ({"wire.py": LISTENING, "line.py": None}, {"wire.py": None, "line.py": LISTENING}, ("", "")),  # renamed
        ({"wire.py": None}, {"wire.py": LISTENING}, ("", "after")),
        ({"wire.py": "x = 1\n"}, {"wire.py": LISTENING}, ("", "after")),
        ({"wire.py": LISTENING}, {"wire.py": "x = 1\n"}, ("before", "")),
    ],
)
def test_what_else_differs_is_held_against_the_version_that_has_it(
    old: dict[str, str | None], new: dict[str, str | None], objects_to: tuple[str, str]
) -> None:
    found = TextObjections.between([("y = 1\n", "y = 2\n"), *texts_to_hold_against(old, new)])
    assert (bool(found.before), bool(found.after)) == tuple(map(bool, objects_to))


@pytest.mark.parametrize(
    ("larger", "caveat"),
    [
        (Comparison(Decision.NOT_BETTER, "measured", gain=Gain(0.1, 0.09, 0.11, 0.99, 8)), "10.0x of the time on 64"),
        (Comparison(Decision.NOT_BETTER, "measured", gain=Gain(0.4, 0.3, 0.5, 0.99, 8)), ""),
        (
            Comparison(Decision.NOT_BETTER, "AFTER did not end in time on 64 elements"),
            "AFTER did not end in time on 64",
        ),
    ],
)
def test_a_slow_down_is_told_with_a_larger_one_where_that_is_far_larger(larger: Comparison, caveat: str) -> None:
    gain = Gain(0.5, 0.45, 0.55, 0.99, 8)
    measured = VersionFindings(ComparisonDecision.SLOWER, "measured", gain, caveat="of the first call")
    told = version_comparison._told_of_larger(measured, Again(larger, "only there", "64 elements"), gain)
    assert told.gain == gain, "the figure is the one of the real calls"
    assert told.caveat.startswith(f"of the first call; {caveat}" if caveat else "of the first call")
    assert bool(caveat) == ("64" in told.caveat)


def test_where_nothing_larger_can_be_made_the_answer_says_so(bench_of: Callable[[str], Workbench]) -> None:
    source = "def total(flag):\n    return not flag\n\nif __name__ == '__main__':\n    total(True)\n    total(False)\n"
    search = VersionJudge(bench_of(source), TwoSidedJudge(Objective.TIME, 0.05, 0), Deadline.after(60), lambda _: None)
    measured = VersionFindings(ComparisonDecision.SAME, "measured", Gain(1.0, 0.98, 1.02, 0.99, 8))
    seen = search._looked_at_again(measured, source)
    why = "nothing among its arguments has a size that can be changed"
    told = f"{NO_LARGER} ({why}), so what only more data shows was not seen"
    assert (seen.decision, seen.tried_larger, seen.on_larger) == (ComparisonDecision.SAME, told, told)


def test_a_loss_on_small_calls_says_that_no_gain_was_looked_for_on_larger_ones(
    bench_of: Callable[[str], Workbench],
) -> None:
    source = (
        "def total(items):\n    return sum(items)\n\nif __name__ == '__main__':\n    total([1, 2])\n    total([3])\n"
    )
    bench, judge = bench_of(source), TwoSidedJudge(Objective.TIME, 0.5, 0)  # far more than noise makes of the same code
    search = VersionJudge(bench, judge, Deadline.after(60), lambda _: None, real_calls_alone=True)
    measured = VersionFindings(ComparisonDecision.SLOWER, "measured", Gain(0.5, 0.45, 0.55, 0.99, 8))
    told = search._looked_at_again(measured, source)
    assert told.tried_larger.startswith(
        "no slow-down was proven on larger inputs, the largest of them inputs 1,024 times"
    )
    unseen = f"a gain on larger inputs was not looked for; {LARGER_CALLS}"
    assert told == replace(measured, larger_inputs=unseen, tried_larger=told.tried_larger)
    calls = bench.workload.calls_in_order()
    given = Workload(calls=tuple(replace(call, origin="--calls calls.py") for call in calls))
    large = Workload(calls=tuple(replace(call, cpu_time_s=0.1) for call in calls))
    assert [unseen_gain(replace(bench, workload=each), judge) for each in (given, large)] == ["", ""]
    assert unseen_gain(bench, TwoSidedJudge(Objective.MEMORY, 0.05, 0)) == ""


@pytest.mark.parametrize(("after_s", "likely"), [(0.004, "0.40x of the CPU time for len(items) = 4,096"), (0.009, "")])
def test_growth_tells_where_a_gain_on_larger_inputs_is_likely(after_s: float, likely: str) -> None:
    growth = Growth("len(items)", (GrowthPoint(64, 0.001, 0.002), GrowthPoint(4096, 0.01, after_s)))
    gain = Gain(0.5, 0.45, 0.55, 0.99, 8)
    small = VersionFindings(ComparisonDecision.SLOWER, "measured", gain, larger_inputs=LARGER_CALLS)
    assert likely in likely_gain(small, growth)
    assert bool(likely_gain(small, growth)) == bool(likely)
    assert not likely_gain(replace(small, larger_inputs=""), growth)
    assert not likely_gain(small, None)


@pytest.mark.parametrize(
    ("glances", "told"),
    [
        (LargerGlances(), ""),
        (LargerGlances(tried=Tried(none=NO_LARGER), is_cut_short=True), NO_LARGER),
        (
            LargerGlances(tried=Tried("inputs 8 times as large")),
            "not slower on larger inputs, the largest of them inputs 8",
        ),
        (LargerGlances((("natural", 0.5),), is_cut_short=True), NOT_LARGER),
        (
            LargerGlances((("natural", 0.5),), tried=Tried("inputs 8 times as large"), is_cut_short=True),
            f"no slow-down was proven on larger inputs, the largest of them inputs 8 times as large; {NOT_LARGER}",
        ),
    ],
)
def test_an_answer_says_which_larger_inputs_were_tried(glances: LargerGlances, told: str) -> None:
    assert glances.told.startswith(told)
    assert bool(glances.told) == bool(told)


@pytest.mark.parametrize("decision", [ComparisonDecision.SAME, ComparisonDecision.SLOWER, ComparisonDecision.TOO_NOISY])
def test_whatever_the_answer_is_the_largest_input_is_named(
    bench_of: Callable[[str], Workbench], decision: ComparisonDecision
) -> None:
    source = (
        "def total(items):\n    return sum(items)\n\nif __name__ == '__main__':\n    total([1, 2])\n    total([3])\n"
    )
    judge = TwoSidedJudge(Objective.TIME, 0.5, 0)  # far more than noise makes of the same code
    search = VersionJudge(bench_of(source), judge, Deadline.after(60), lambda _: None, real_calls_alone=True)
    seen = search._looked_at_again(VersionFindings(decision, "measured", Gain(0.5, 0.45, 0.55, 0.99, 8)), source)
    assert "inputs 1,024 times as large as the real ones (len(items) = 2,048" in seen.tried_larger


def test_without_time_for_larger_inputs_there_is_no_answer(bench_of: Callable[[str], Workbench]) -> None:
    """A loss that shows on these alone would pass else, on a machine that is busy."""
    search = VersionJudge(bench_of(BEFORE), TwoSidedJudge(Objective.TIME, 0.05, 0), Deadline.after(0), lambda _: None)
    for decision in (ComparisonDecision.SAME, ComparisonDecision.FASTER, ComparisonDecision.TOO_NOISY):
        measured = VersionFindings(decision, "measured", Gain(1.0, 0.98, 1.02, 0.99, 8))
        seen = search._looked_at_again(measured, BEFORE)
        assert seen.decision is ComparisonDecision.TOO_NOISY
        assert seen.reason == "measured, but larger inputs were not tried to the end, since the time was up"
        assert seen.gain == measured.gain
