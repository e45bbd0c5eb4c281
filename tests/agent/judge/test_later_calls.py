"""What was measured counts as users meet it: in later calls of a process, and on inputs larger than those of tests."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from loops import UntimedJudge

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge import behaviour, confirming
from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.first_calls import FirstCalls
from afterburner.agent.judge.later_calls import look_at_later_calls, when_warm
from afterburner.agent.judge.slower_on_larger import on_larger_inputs
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.judge.version_comparison import ComparisonDecision, VersionFindings, VersionJudge
from afterburner.agent.types import Decision, Gain, Objective
from afterburner.sandbox import Measurement

from ..evidence.conftest import make_bench  # noqa: F401, TID252 - the same workbenches, as a fixture
from ..inputs.conftest import project  # noqa: F401, TID252 - which need this one

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from afterburner.agent.judge.comparison import Comparison

    from ..evidence.conftest import MakeBench  # noqa: TID252 - likewise

    Compared = Callable[..., VersionFindings]

pytestmark = pytest.mark.slow

MAIN = "\n\nif __name__ == '__main__':\n    {calls}\n"
UNIQUE = """\
def f(items):
    seen, kept = set(), []
    for item in items:
        if item not in seen:
            seen.add(item)
            kept.append(item)
    return kept
"""
SEARCHING = UNIQUE.replace("not in seen", "not in kept")
SQUARES = "def f(n):\n    return sum(i * i for i in range(n))\n"
FIRST_CALL = SQUARES.replace("    return", "    import xml.dom.minidom\n    return")
LONGER = SQUARES.replace("range(n)", "sorted(range(n), key=lambda i: i % 3)")


@pytest.fixture
def compared(make_bench: MakeBench) -> Compared:  # noqa: F811 - the fixture above
    """Look for a slow-down of one text of `f` against another; `calls` is the body of the file's main block."""

    def compare(before: str, after: str, calls: str) -> VersionFindings:
        bench = make_bench(before + MAIN.format(calls=calls), "f")
        judge = VersionJudge(
            bench, TwoSidedJudge(Objective.TIME, 0.05, 0), Deadline.after(120), lambda _: None, real_calls_alone=True
        )
        return judge.compare(after + MAIN.format(calls=calls))

    return compare


COUNTS = "def f(items):\n    {}\n    for item in items:\n        {}\n    return counts\n"
BY_DICT = COUNTS.format("counts = {}", "counts[item] = counts.setdefault(item, 0) + len([item])")
BY_LIST = COUNTS.format("counts = {}", "counts[item] = counts[item] + 1 if item in list(counts) else 1")


def test_a_version_may_lose_a_little_where_all_is_equal(make_bench: MakeBench) -> None:  # noqa: F811 - as above
    main = MAIN.format(calls="f([3, 1, 3, 7])")
    bench = make_bench(BY_LIST + main, "f")
    assert on_larger_inputs(bench, TwoSidedJudge(Objective.TIME, 0.05, 0), BY_DICT + main, Deadline.after(60)) is None


def test_what_is_as_fast_on_larger_inputs_is_no_slow_down(make_bench: MakeBench) -> None:  # noqa: F811 - as above
    bench = make_bench(UNIQUE + MAIN.format(calls="f([3, 1, 3])"), "f")
    judge = TwoSidedJudge(Objective.TIME, 0.5, 0)  # far more than noise makes of the same code
    other = bench.target.source.replace("seen, kept", "known, kept").replace("seen", "known")
    assert on_larger_inputs(bench, judge, other, Deadline.after(60)) is None


@pytest.mark.nightly
def test_a_slow_down_that_three_elements_do_not_show_is_found_on_more_of_them(make_bench: MakeBench) -> None:  # noqa: F811
    main = MAIN.format(calls="f([3, 1, 3])")
    bench = make_bench(UNIQUE + main, "f")
    judge = TwoSidedJudge(Objective.TIME, 0.05, 0)
    found = on_larger_inputs(bench, judge, SEARCHING + main, Deadline.after(60))
    assert found is not None
    assert found.comparison.gain is not None
    assert found.comparison.gain.high < 0.5
    assert found.caveat.startswith("only on inputs ")
    assert "times as large as the real ones (len(items) = " in found.caveat
    doing_less = SEARCHING.replace("return kept", "return kept[:9]")  # no more than that is timed
    assert on_larger_inputs(bench, judge, doing_less + main, Deadline.after(60)) is None


@pytest.mark.nightly
def test_work_of_the_first_call_is_no_slow_down(compared: Compared) -> None:
    found = compared(SQUARES, FIRST_CALL, "f(20_000)")
    assert found.decision is not ComparisonDecision.SLOWER, found


@pytest.mark.nightly
def test_a_whole_comparison_tells_what_the_first_call_takes(make_bench: MakeBench) -> None:  # noqa: F811 - as above
    main = MAIN.format(calls="f(20_000)")
    bench, judge = make_bench(SQUARES + main, "f"), TwoSidedJudge(Objective.TIME, 0.5, 0)
    again = when_warm(bench, judge, FIRST_CALL + main, Gain(0.2, 0.1, 0.3, 0.99, 8), Deadline.after(60))
    assert again is not None
    assert again.comparison.gain is not None
    assert again.comparison.gain.ratio > 0.5
    assert again.caveat == "the first call of a process takes 5.00x of the time"
    again = when_warm(bench, judge, FIRST_CALL + main, Gain(4.0, 3.0, 5.0, 0.99, 8), Deadline.after(60))
    assert again is not None
    assert again.caveat == "the first call of a process gains 4.00x"


@pytest.mark.nightly
def test_two_trees_are_compared_on_the_real_calls_alone_as_well(make_bench: MakeBench) -> None:  # noqa: F811 - as above
    main = MAIN.format(calls="f(20_000)")
    bench = make_bench(SQUARES + main, "f")
    bench = replace(bench, other_environment=bench.environment)
    judge = TwoSidedJudge(Objective.TIME, 0.05, 0)
    found = VersionJudge(bench, judge, Deadline.after(120), lambda _: None, real_calls_alone=True).compare(
        LONGER + main
    )
    assert found.decision is ComparisonDecision.SLOWER, found
    assert not found.can_be_replayed, "a receipt makes calls that are the first of their process"


@pytest.mark.nightly
def test_a_slow_down_is_told_with_the_larger_one_on_more_elements(compared: Compared) -> None:
    found = compared(UNIQUE, SEARCHING, "f(list(range(60)))")
    assert found.decision is ComparisonDecision.SLOWER, found
    assert found.gain is not None
    assert found.gain.ratio > 0.1, "the figure is the one of the real calls"
    assert "times as large as the real ones (len(items) = " in found.caveat
    found = compared(SQUARES, LONGER, "f(2_000)")
    assert found.decision is ComparisonDecision.SLOWER, found
    assert not found.caveat, "it loses about as much on larger ones"


@pytest.mark.nightly
def test_an_edge_case_that_no_test_has_does_not_stand_against_timing_the_real_calls(compared: Compared) -> None:
    found = compared(SQUARES, LONGER.replace("return sum", "return -1 if n < 5 else sum"), "f(20_000)")
    assert found.decision is ComparisonDecision.SLOWER, found


@pytest.mark.floor
@pytest.mark.timed
def test_a_slow_down_of_every_call_is_one(compared: Compared) -> None:
    found = compared(SQUARES, LONGER, "f(20_000)")
    assert found.decision is ComparisonDecision.SLOWER, found
    assert "only on inputs" not in found.caveat


@dataclass(frozen=True)
class Seeing(UntimedJudge):
    """Takes one sample of each side per screening, but reports the next of `gains` as the gain."""

    gains: Iterator[Gain | None] = field(default_factory=lambda: iter(()))

    def screen(self, *args: Any, **more: Any) -> list[Comparison]:
        """The comparison of the sample, with the next gain in it."""
        return [replace(told, gain=next(self.gains)) for told in UntimedJudge.screen(self, *args, **more)]


SLOWER, EQUAL, FASTER = Gain(0.5, 0.4, 0.6, 0.99, 8), Gain(0.97, 0.9, 1.2, 0.99, 8), Gain(8.0, 7.0, 9.0, 0.99, 8)
UNSURE = Gain(0.4, 0.1, 1.1, 0.99, 8)
IN_FIRST_CALL = "most of the gain is in the first call of a process: later calls"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("gains", "told"),
    [
        ([FASTER], FirstCalls()),
        ([EQUAL], FirstCalls(note=f"{IN_FIRST_CALL} gain 0.97x")),
        ([SLOWER], FirstCalls(objection=f"{IN_FIRST_CALL} take 2.00x of the time")),
        ([UNSURE, EQUAL], FirstCalls(note=f"{IN_FIRST_CALL} gain 0.97x")),
        ([UNSURE, SLOWER], FirstCalls(objection=f"{IN_FIRST_CALL} take 2.00x of the time")),
        ([UNSURE, UNSURE], FirstCalls(objection=f"{IN_FIRST_CALL} seem to take 2.50x of the time")),
        ([None], FirstCalls()),
        ([UNSURE, None], FirstCalls(objection=f"{IN_FIRST_CALL} seem to take 2.50x of the time")),
    ],
    ids=[
        "a gain",
        "nothing lost",
        "a loss",
        "no loss at second sight",
        "a loss at second sight",
        "a loss in noise",
        "nothing",
        "a loss, then nothing",
    ],
)
def test_later_calls_that_seem_slower_are_looked_at_twice(
    make_bench: MakeBench,  # noqa: F811 - as above
    gains: list[Gain | None],
    told: FirstCalls,
) -> None:
    judge, gain = Seeing(Objective.TIME, 0.05, 0, iter(gains)), Gain(9.0, 8.0, 10.0, 0.99, 8)
    bench = make_bench(FIRST_CALL + MAIN.format(calls="f(2_000)"), "f")
    assert look_at_later_calls(bench, judge, SQUARES, gain, Deadline.after(60)) == told
    assert not list(judge.gains), "fewer looks than expected"


@pytest.mark.timed
def test_a_gain_of_the_first_call_is_told_to_be_one(make_bench: MakeBench) -> None:  # noqa: F811 - as above
    main = MAIN.format(calls="f(2_000)")
    judge, gain = Judge(Objective.TIME, 0.05, 0), Gain(9.0, 8.0, 10.0, 0.99, 8)
    bench = make_bench(FIRST_CALL + main, "f")
    told = look_at_later_calls(bench, judge, SQUARES + main, gain, Deadline.after(60))
    assert told.objection == ""
    assert f"{IN_FIRST_CALL} gain " in told.note
    lost = look_at_later_calls(bench, judge, LONGER + main, gain, Deadline.after(60))
    assert IN_FIRST_CALL in lost.objection
    bench, gain = make_bench(LONGER + main, "f"), Gain(1.5, 1.4, 1.6, 0.99, 8)
    assert look_at_later_calls(bench, judge, SQUARES + main, gain, Deadline.after(60)) == FirstCalls()


class Convinced(UntimedJudge):
    """Takes the winner for twice as fast on the calls of the workload; all else is measured."""

    screen = Judge.screen


def test_a_gain_on_three_elements_that_is_a_loss_on_many_is_none(
    make_bench: MakeBench,  # noqa: F811 - as above
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(behaviour, "OFFER_ROUNDS", 1)
    monkeypatch.setattr(behaviour, "OFFER_LEAST", 1)
    for look in ("look_at_first_calls", "look_at_later_calls"):  # they would show no such gain
        monkeypatch.setattr(confirming, look, lambda *_: FirstCalls())
    main = MAIN.format(calls="f([3, 1, 3])")
    bench = make_bench(UNIQUE + main, "f")
    winner, original = (
        Incumbent(name, text, Measurement(1.0, 1.0, 1, 1.0), ratio=1.0)
        for name, text in (("winner", SEARCHING + main), ("original", bench.target.source))
    )
    judge = Convinced(Objective.TIME, 0.05, 0)
    said = Confirming(bench, judge, Deadline.after(120), lambda _: None).confirm(winner, original)
    assert said.decision is Decision.NOT_BETTER
    assert said.reason.startswith("on inputs "), said.reason
    assert "times as large as the real ones (len(items) = " in said.reason
    assert said.reason.endswith("of the time")
