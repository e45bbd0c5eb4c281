"""How much has to be tried before a rewrite is offered, or called the same. Nothing is timed here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from loops import UntimedJudge, open_bench

from afterburner.agent.deadline import Deadline
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.inputs.judging import judging_notes
from afterburner.agent.judge import behaviour
from afterburner.agent.judge.confirmation import Incumbent, unproven
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.judge.verification.outcome import MADE_INPUTS, Agreement
from afterburner.agent.judge.version_comparison import VersionFindings, VersionJudge
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Decision, Objective, Skipped
from afterburner.sandbox import Measurement

from .conftest import JumpingClock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.agent.judge.confirmation import Confirmation
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.sandbox import Sandbox

    MakeBench = Callable[[str, str], Workbench]

pytestmark = pytest.mark.slow

LONG_S = 240.0  # that the search takes at most, on a machine that is busy with other things
WEIGHING = """\
def total(weigh):
    found = 0
    for n in range(500):
        found += weigh(n)
    return found


if __name__ == "__main__":
    total(abs)
    total(float)
"""
CART = """\
class Cart:
    def __init__(self, add):
        self.add = add


def total(cart, items):
    found = 0
    for item in items:
        found += cart.add([item])
    return found


if __name__ == "__main__":
    total(Cart(sum), [1, 5])
    total(Cart(sum), [4, 2, 7])
"""
PLAIN = """\
size = 500


def total():
    found = 0
    for n in range(size):
        found += n
    return found


if __name__ == "__main__":
    total()
    size = 400
    total()
"""
LEAVING = """\
import os


def total(n):
    if n < 0:
        os._exit(3)
    found = 0
    for number in range(n % 1000):
        found += number
    return found


if __name__ == "__main__":
    total(400)
    total(300)
"""
RARE = """\
def total(items):
    found = 0
    for item in items:
        found += item
        if item * item % 1_000_003 == 271_829:
            found *= 2
    return found


if __name__ == "__main__":
    total([1, 2, 3])
    total([5])
"""


FEW, MANY = (("empty", 12),), (("empty", 12), ("large", 900))


class Untimed(UntimedJudge, TwoSidedJudge):
    """Calls each version that does the same twice as fast."""


@pytest.fixture
def make_bench(tmp_path: Path, sandbox: Sandbox) -> MakeBench:
    """The workbench of a function of a file with this text."""

    def make(source: str, function: str) -> Workbench:
        path = tmp_path / "module.py"
        path.write_text(source, encoding="utf-8")
        return open_bench(RunSettings(file=str(path), function=function), sandbox)

    return make


def confirmed(bench: Workbench, rewrite: str) -> Confirmation:
    judge = UntimedJudge(Objective.TIME, 0.05, 0)
    winner, original = (
        Incumbent(name, text, Measurement(1.0, 1.0, 1, 1.0), ratio=1.0)
        for name, text in (("winner", rewrite), ("original", bench.target.source))
    )
    return Confirming(bench, judge, Deadline.after(LONG_S), lambda _: None).confirm(winner, original)


def compared(bench: Workbench, after: str) -> VersionFindings:
    judge = Untimed(Objective.TIME, 0.05, 0)
    return VersionJudge(bench, judge, Deadline.after(LONG_S), lambda _: None).compare(after)


def test_a_function_of_which_no_input_can_be_made_is_right_on_a_condition_alone(make_bench: MakeBench) -> None:
    bench = make_bench(WEIGHING, "total")
    said = confirmed(bench, WEIGHING.replace("found += ", "found = found + "))
    assert said.decision is Decision.CONDITIONAL, said.reason
    assert "no further input could be made" in said.reason


def test_only_who_says_so_of_an_argument_that_could_not_be_varied_gets_the_offer(make_bench: MakeBench) -> None:
    bench = make_bench(CART, "total")
    rewrite = CART.replace("found += ", "found = found + ")
    said = confirmed(replace(bench, workload=replace(bench.workload, assume=("cart is not None",))), rewrite)
    assert said.decision is Decision.CONDITIONAL, said.reason
    assert "`cart` is like in the real calls" in said.reason
    assert said.reason.endswith('state it with --assume "as_called(cart)"')
    stated = replace(bench.workload, assume=("as_called(cart)", "len(items) < 1_000"))
    said = confirmed(replace(bench, workload=stated), rewrite)
    assert said.decision is Decision.IMPROVED, said.reason
    notes = judging_notes(stated)
    assert "all that matters about `cart`: where no other value could be made, none was tried" in notes[0]
    assert "len(items) < 1_000. No input was made" in notes[1]


def test_a_function_without_parameters_needs_no_made_input(make_bench: MakeBench) -> None:
    said = confirmed(make_bench(PLAIN, "total"), PLAIN.replace("found += ", "found = found + "))
    assert said.decision is Decision.IMPROVED, said.reason


@pytest.mark.nightly
def test_who_agreed_on_few_inputs_because_making_more_failed_is_not_offered(make_bench: MakeBench) -> None:
    """The original ends the process that makes them."""
    said = confirmed(make_bench(LEAVING, "total"), LEAVING.replace("found += ", "found = found + "))
    assert said.decision in {Decision.REFUSED, Decision.CONDITIONAL}, said.reason
    # How far the making comes before that decides which of the two is told.
    assert "its process ended early" in said.reason or "nothing else could be made of it" in said.reason


def test_who_agreed_on_fewer_inputs_than_an_offer_needs_is_not_offered_while_more_can_be_made(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(behaviour, "OFFER_ROUNDS", 1)
    said = confirmed(make_bench(RARE, "total"), RARE.replace("found += item", "found = found + item"))
    assert said.decision is Decision.REFUSED, said.reason
    assert f"of {behaviour.OFFER_LEAST} inputs could be tried" in said.reason


@pytest.mark.nightly
def test_two_versions_are_the_same_only_as_far_as_inputs_could_be_made(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(behaviour, "OFFER_LEAST", 1)  # the number is not what this is about
    found = compared(make_bench(WEIGHING, "total"), WEIGHING.replace("found += ", "found = found + "))
    assert found.decision == "conditional", found.reason
    assert "no further input could be made" in found.reason
    assert found.gain is not None, "it is measured all the same"
    found = compared(make_bench(RARE, "total"), RARE.replace("found *= 2", "found += found"))
    assert found.decision == "conditional", found.reason
    assert "no call reaches line 6 of the original" in found.reason
    found = compared(make_bench(RARE, "total"), RARE.replace("found += item", "found = found + item"))
    assert found.decision == "faster", found.reason


def compared_further(
    bench: Workbench, after: str, monkeypatch: pytest.MonkeyPatch, *, least: int, is_late: bool = False
) -> tuple[VersionFindings, list[EventKind]]:
    """What a comparison comes to of which the first search had time for twelve inputs, and what it told of."""
    monkeypatch.setattr(behaviour, "OFFER_LEAST", least)
    told: list[EventKind] = []
    clock = JumpingClock()

    def tell(event: ProgressEvent) -> None:
        told.append(event.kind)
        if is_late and event.kind is EventKind.COMPARING_BEHAVIOUR:
            clock.ahead_s = 1e6

    judge = Untimed(Objective.TIME, 0.05, 0)
    comparing = VersionJudge(bench, judge, Deadline.after(LONG_S, clock), tell)
    confirming = Confirming(bench, judge, comparing.deadline, lambda _: None)
    texts = (after, bench.target.source)
    other, original = (Incumbent("", text, Measurement(1.0, 1.0, 1, 1.0), ratio=1.0) for text in texts)
    return comparing._compared(confirming, other, original, Agreement(FEW)), told


def test_a_comparison_with_too_few_inputs_tries_more_in_the_time_that_is_left(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, after = make_bench(RARE, "total"), RARE.replace("found += item", "found = found + item")
    found, told = compared_further(bench, after, monkeypatch, least=20)
    assert found.decision == "faster", found.reason
    assert found.agreement is not None
    assert found.agreement.inputs >= 20
    assert EventKind.MEASURING_LARGER_INPUTS in told
    wrong, _ = compared_further(bench, RARE.replace("found = 0", "found = 1"), monkeypatch, least=20)
    assert wrong.decision == "different", wrong.reason


def test_without_enough_inputs_a_comparison_measures_nothing_that_cannot_count(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, after = make_bench(RARE, "total"), RARE.replace("found += item", "found = found + item")
    found, told = compared_further(bench, after, monkeypatch, least=10**9, is_late=True)
    assert found.decision == "too_noisy"
    assert found.reason.endswith("inputs could be tried before the time was over; give --max-seconds more")
    assert EventKind.MEASURING_LARGER_INPUTS not in told


OPEN = """\
def total(items, **options):
    found = options.get("start", 0)
    for item in items:
        found += item
    return found


if __name__ == "__main__":
    total([3, 1, 2])
"""


def test_keywords_that_no_call_gives_are_a_condition_only_where_the_code_uses_them(
    make_bench: MakeBench,
) -> None:
    bench, agreed = make_bench(OPEN, "total"), Agreement(MANY, never_given=("options",))
    confirming = Confirming(bench, UntimedJudge(Objective.TIME, 0.05, 0), Deadline.after(LONG_S), lambda _: None)
    unused = OPEN.replace('options.get("start", 0)', "0")
    original, rewrite, without = (
        Incumbent("one", text, Measurement(1.0, 1.0, 1, 1.0), ratio=1.0)
        for text in (OPEN, OPEN.replace("found += ", "found = found + "), unused)
    )
    assert confirming.unproven(agreed, without, without) is None
    said = confirming.unproven(agreed, rewrite, original)
    assert said is not None
    assert said.decision is Decision.CONDITIONAL
    assert '--assume "not options"' in said.reason


FAILED = (Skipped(MADE_INPUTS, "it ran longer than 4 s"),)


@pytest.mark.parametrize(
    ("agreed", "made", "decision"),
    [
        (Agreement(MANY), 912, None),
        (Agreement(MANY, FAILED), 912, None),
        (Agreement(FEW, exhausted=True), 12, None),
        (Agreement(FEW, FAILED, exhausted=True), 12, Decision.REFUSED),
        (Agreement(FEW), 12, Decision.REFUSED),
        (Agreement((("captured", 2),), exhausted=True), 0, Decision.CONDITIONAL),
        (Agreement((("captured", 900),), exhausted=True), 0, Decision.CONDITIONAL),
        (Agreement((("captured", 2),), exhausted=True), None, None),
        (Agreement(MANY, unvaried=("weigh",)), 912, Decision.CONDITIONAL),
    ],
)
def test_few_inputs_are_enough_only_where_no_more_can_be_made(
    agreed: Agreement, made: int | None, decision: Decision | None
) -> None:
    said = unproven(agreed, None, 800, made=made)
    assert (said and said.decision) is decision
