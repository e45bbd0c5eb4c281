"""Who goes on from a screening: the better half of each stage, whatever becomes of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.measuring.sample_sources import DuelSource
from afterburner.agent.judge.measuring.sampling import ORIGINAL, Block, SampleFailedError, SampleMode
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.judge.screening import MOST_DOUBTS
from afterburner.agent.types import Decision, Objective
from afterburner.sandbox import CallCase, FunctionEntry, Limits, Program, Verdict
from afterburner.sandbox.driver.call_blobs import dump_call

from .conftest import Unpaced, sample, used

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.measuring.sampling import BlockSource
    from afterburner.sandbox.sandbox import Sandbox

SOON = 60.0
JUDGE = Judge(Objective.TIME, min_effect=0.05, seed=0)


class Known(Unpaced):
    """Programs whose times are known. A rewrite named "wrong" fails when it is sampled; `asked` counts samples."""

    def __init__(self, cpu_s: dict[str, float], asked: dict[str, int] | None = None, original_s: float = 1.0) -> None:
        self._cpu_s, self._original_s = cpu_s, original_s
        self.asked = dict.fromkeys(cpu_s, 0) if asked is None else asked

    @property
    def rewrites(self) -> tuple[Program, ...]:
        return tuple(Program("python", name) for name in self._cpu_s)

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:  # noqa: ARG002 - the interface
        for name in self._cpu_s:
            self.asked[name] += 2 * repeats
        if self._original_s == 0:
            raise SampleFailedError(Verdict.WRONG_ANSWER, "another answer", ORIGINAL)
        if "wrong" in self._cpu_s:
            raise SampleFailedError(Verdict.WRONG_ANSWER, "2 instead of 1", 1 + list(self._cpu_s).index("wrong"))
        before = [sample(used(self._original_s))] * 2 * repeats
        return tuple(Block.of(before, [sample(used(cpu_s))] * 2 * repeats) for cpu_s in self._cpu_s.values())

    @property
    def round_size(self) -> int:
        return self.per_repeat * (1 + len(self._cpu_s))

    def only(self, numbers: Sequence[int]) -> Known:
        names = list(self._cpu_s)
        return Known({names[number]: self._cpu_s[names[number]] for number in numbers}, self.asked, self._original_s)


def screened(source: BlockSource, *, only_ranks: bool = False, judge: Judge = JUDGE) -> list[Comparison]:
    return judge.screen(source, Deadline.after(SOON), only_ranks=only_ranks)


def test_most_samples_go_to_those_that_it_is_hard_to_choose_between() -> None:
    source = Known({"slow": 1.5, "same": 1.0, "good": 0.5, "better": 0.45, "bad": 1.1, "so so": 0.9})
    comparisons = dict(zip(source.asked, screened(source), strict=True))
    assert source.asked["better"] > source.asked["good"] == source.asked["so so"] > source.asked["same"]
    assert source.asked["same"] == source.asked["slow"] == source.asked["bad"]
    assert [name for name, each in comparisons.items() if each.decision is Decision.PROMISING] == [
        "good", "better", "so so",
    ]  # fmt: skip
    gain = comparisons["better"].gain
    assert gain is not None
    assert gain.ratio == pytest.approx(1 / 0.45)
    assert gain.low <= gain.ratio <= gain.high
    assert gain.confidence == 0, "a range of blocks is no interval of a test"


def test_one_that_is_plainly_ahead_ends_a_screening_that_only_ranks() -> None:
    times = {"best": 0.1, "good": 0.5}
    source = Known(times)
    best, good = screened(source, only_ranks=True)
    assert source.asked == {"best": 2, "good": 2}
    assert best.decision is good.decision is Decision.PROMISING
    screened(deciding := Known(times))
    assert deciding.asked["best"] > 2, "where more is decided by it, one round is too little"
    screened(memory := Known(times), only_ranks=True, judge=replace(JUDGE, objective=Objective.MEMORY))
    assert memory.asked["best"] > 2


def test_between_two_that_are_plainly_better_more_samples_decide() -> None:
    source = Known({"good": 0.11, "best": 0.1, "behind": 0.5})
    screened(source, only_ranks=True)
    assert source.asked["best"] >= source.asked["good"] > source.asked["behind"] == 2


@pytest.mark.parametrize(("original_s", "is_sampled_on"), [(0.1, True), (10.0, False)])
def test_those_without_a_gain_cost_a_plain_leader_no_long_rounds(original_s: float, *, is_sampled_on: bool) -> None:
    source = Known({"best": original_s / 20, "same": original_s}, original_s=original_s)
    best, same = screened(source, only_ranks=True)
    assert (source.asked["same"] > 2, best.decision) == (is_sampled_on, Decision.PROMISING)
    assert same.decision is Decision.NOT_BETTER


class Leaving(Known):
    """A rewrite named "leaving" leaves a process running, which has its work."""

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:
        blocks = super().take(repeats, seed, alone=alone)
        return tuple(
            Block.of(each.before, [replace(sample, complaints=("processes: 1 left",)) for sample in each.after])
            if name == "leaving"
            else each
            for name, each in zip(self._cpu_s, blocks, strict=True)
        )

    def only(self, numbers: Sequence[int]) -> Leaving:
        return Leaving(super().only(numbers)._cpu_s, self.asked, self._original_s)


def test_one_that_is_ahead_by_what_it_leaves_running_ends_nothing() -> None:
    source = Leaving({"leaving": 0.001, "good": 0.8, "better": 0.7})
    leaving, good, better = screened(source, only_ranks=True)
    assert (leaving.decision, source.asked["leaving"]) == (Decision.REFUSED, 2)
    assert good.decision is better.decision is Decision.PROMISING
    assert source.asked["better"] > 2


def test_one_that_seems_to_have_no_gain_is_sampled_again_whoever_is_ahead() -> None:
    """The one that is ahead may be wrong, and who is told to have no gain is not looked at again."""
    source = Ahead([1.0, 1.03])
    quick, slow = screened(source, only_ranks=True)
    assert quick.decision is slow.decision is Decision.PROMISING, slow.reason


class Ahead(Unpaced):
    """Two rewrites: ten times as fast, and one whose pairs have these ratios at first; then 1.5."""

    rewrites = (Program("python", "quick"), Program("python", "unclear"))
    round_size = 6

    def __init__(self, first: Sequence[float]) -> None:
        self._ratios = list(first)

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:  # noqa: ARG002 - the interface
        ratios, self._ratios = self._ratios, [1.5, 1.5]
        before = [sample(used(1.0))] * 2
        quick = Block.of(before, [sample(used(0.1))] * 2)
        return quick, Block.of(before, [sample(used(1 / ratio)) for ratio in ratios])

    def only(self, numbers: Sequence[int]) -> Ahead:
        assert list(numbers) == [0, 1], "nobody is left out"
        return self


def test_who_fails_when_measured_does_not_spoil_it_for_the_others() -> None:
    wrong, good = screened(Known({"wrong": 0.1, "good": 0.5}))
    assert (wrong.decision, wrong.verdict) == (Decision.WRONG, Verdict.WRONG_ANSWER)
    assert "2 instead of 1" in wrong.reason
    assert good.decision is Decision.PROMISING


def test_an_original_that_fails_is_nobodys_fault() -> None:
    comparisons = screened(Known({"one": 0.5, "two": 0.5}, original_s=0.0))
    assert {each.decision for each in comparisons} == {Decision.REFUSED}


class Hindered(Known):
    """The original fails in the first take, as one that is late on a busy machine does."""

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:
        self._original_s = 0.0 if not any(self.asked.values()) else 1.0
        return super().take(repeats, seed, alone=alone)


def test_an_original_that_fails_once_costs_nobody_its_chance() -> None:
    good, same = screened(Hindered({"good": 0.5, "same": 1.0}))
    assert good.decision is Decision.PROMISING, good.reason
    assert same.decision is Decision.NOT_BETTER


def test_where_all_are_far_behind_no_more_is_measured() -> None:
    source = Known({"slow": 2.0, "slower": 3.0, "slowest": 4.0, "worse": 5.0})
    assert {each.decision for each in screened(source)} == {Decision.NOT_BETTER}
    assert len(set(source.asked.values())) == 1


class Together(Known):
    """After the first take samples run at once; the rewrites seem to be 6% better than they are in the second take.

    From the third on the machine is faster by half.
    """

    mode = SampleMode.ALONE
    per_repeat = 1

    @property
    def is_together(self) -> bool:
        return self.mode is SampleMode.AT_ONCE

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:  # noqa: ARG002 - the interface
        is_lucky = self.is_together and min(self.asked[name] for name in self._cpu_s) == 1
        speed = 1.0 if is_lucky or not self.is_together else 1.5
        for name in self._cpu_s:
            self.asked[name] += 1
        before = [sample(used(self._original_s / speed), mode=self.mode)] * repeats
        luck = 1.06 if is_lucky else 1.0
        return tuple(
            Block.of(before, [sample(used(cpu_s / speed / luck), mode=self.mode)] * repeats)
            for cpu_s in self._cpu_s.values()
        )

    def only(self, numbers: Sequence[int]) -> Together:
        found = Together(super().only(numbers)._cpu_s, self.asked, self._original_s)
        found.mode = self.mode
        return found

    def paced(self, blocks: Sequence[Block], *, brief: bool = False) -> tuple[Together, int]:  # noqa: ARG002 - the interface
        self.mode = SampleMode.AT_ONCE
        return self, 1


@pytest.mark.parametrize("others", [{}, {"slow": 1.2}, {"slow": 1.2, "slower": 1.3}], ids=len)
def test_a_second_look_is_taken_at_who_is_promising_by_little(others: dict[str, float]) -> None:
    lucky = Together({"same": 1.01, **others})
    same, *_ = screened(lucky)
    assert (same.decision, lucky.asked["same"]) == (Decision.NOT_BETTER, 4), "the third look told luck from a gain"
    good = Together({"good": 0.8, **others})
    best, *_ = screened(good)
    assert (best.decision, good.asked["good"]) == (Decision.PROMISING, 2)


class Quarrelling(Together):
    """Company is stood once, and in it all seem twice as fast; after that only samples alone can be had."""

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:
        if self.is_together and min(self.asked.values()) > 1:
            raise SampleFailedError(Verdict.TIME_LIMIT, "too long", 1)
        blocks = super().take(repeats, seed, alone=alone)
        if not self.is_together:
            return blocks
        return tuple(
            Block.of(block.before, [replace(each, work=used(each.work.cpu_time_s / 2)) for each in block.after])
            for block in blocks
        )

    def only(self, numbers: Sequence[int]) -> Quarrelling:
        found = Quarrelling(super().only(numbers)._cpu_s, self.asked, self._original_s)
        found.mode = self.mode
        return found

    def apart(self) -> Quarrelling:
        found = self.only(range(len(self._cpu_s)))
        found.mode = SampleMode.ALONE
        return found


def test_where_company_is_not_stood_any_more_the_figures_of_samples_alone_count() -> None:
    same, slow = screened(Quarrelling({"same": 1.01, "slow": 1.05}))
    assert (same.decision, slow.decision) == (Decision.NOT_BETTER, Decision.NOT_BETTER), same.reason


def program(body: str) -> Program:
    entry = FunctionEntry("target", "/afterburner/program/target.py", "f")
    return Program("python", f"def f(n):\n    return {body}\n", entry)


def test_rewrites_are_sampled_in_turns_with_one_original(sandbox: Sandbox) -> None:
    calls = tuple(dump_call((n,), {}, {}) for n in (20_000, 30_000))
    original = program("sum(i * i for i in range(n))")
    expected = tuple(outcome.encoded for outcome in sandbox.run(original, [CallCase(calls)]).cases[0].outcomes)
    rewrites = (
        program("(n - 1) * n * (2 * n - 1) // 6"),
        program("sum(i * i for i in range(n)) + (n > 25_000)"),
        program("sum(0 * j + i * i for i in range(n) for j in range(3)) // 3"),
    )
    source = DuelSource(sandbox, original, rewrites, CallCase(calls, expected), Limits(), TimingCore())
    quick, wrong, slow = screened(source)
    assert quick.decision is Decision.PROMISING, quick.reason
    assert quick.gain is not None
    assert quick.gain.ratio > 10
    assert wrong.decision is Decision.WRONG
    assert "instead of" in wrong.reason
    assert slow.decision is Decision.NOT_BETTER, slow.reason
    modes = [{sample.mode for sample in (*block.before, *block.after)} for block in quick.blocks]
    assert modes == [{SampleMode.ALONE}, {SampleMode.IN_TURNS}], "who is best is plain after one round in turns"


def test_who_leaves_a_process_running_is_not_sampled_beside_others(sandbox: Sandbox) -> None:
    """It would slow down all who share the core, until one of them takes too long and is blamed for it."""
    calls = tuple(dump_call((n,), {}, {}) for n in range(2_000, 2_010))
    original = program("sum(i * i for i in range(n))")
    expected = tuple(outcome.encoded for outcome in sandbox.run(original, [CallCase(calls)]).cases[0].outcomes)
    formula = "(n - 1) * n * (2 * n - 1) // 6"
    quick = program(formula)
    busy = f"import os\ndef f(n):\n    if os.fork() == 0:\n        while True: pass\n    return {formula}\n"
    rewrites = (replace(quick, source=busy), quick, replace(quick, source=busy + "# again\n"))
    source = DuelSource(sandbox, original, rewrites, CallCase(calls, expected), Limits(2.0, 2.0), TimingCore())
    first, honest, again = screened(source)
    assert honest.decision is Decision.PROMISING, honest.reason
    for leaves in (first, again):
        assert leaves.decision is Decision.REFUSED, leaves.reason
        assert "processes" in leaves.reason
        assert {sample.mode for block in leaves.blocks for sample in block.after} == {SampleMode.ALONE}
    comparison, _ = JUDGE.confirm(source.only([0]), Deadline.after(SOON), held_out_from=len(calls))
    assert comparison.decision is Decision.REFUSED
    assert "processes" in comparison.reason


class Noisy(Unpaced):
    """One rewrite, whose blocks have these ratios (of the original's CPU time to its own), one a take; then 1.5."""

    rewrites = (Program("python", "noisy"),)
    round_size = 4

    def __init__(self, *ratios: float) -> None:
        self.taken: list[float] = []
        self._ratios = list(ratios)

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:  # noqa: ARG002 - the interface
        ratio = self._ratios.pop(0) if self._ratios else 1.5
        self.taken.append(ratio)
        return (Block.of([sample(used(1.0))] * 2, [sample(used(1.0 / ratio))] * 2),)

    def only(self, numbers: Sequence[int]) -> Noisy:  # noqa: ARG002 - likewise
        return self


def test_nobody_is_dropped_while_its_blocks_spread_too_far_to_rule_a_gain_out() -> None:
    noisy, plain = Noisy(0.6, 0.89), Noisy(0.88, 0.89)
    [in_doubt], [behind] = screened(noisy), screened(plain)
    assert in_doubt.decision is Decision.PROMISING, "0.89x in two noisy blocks said nothing"
    assert (behind.decision, plain.taken) == (Decision.NOT_BETTER, [0.88, 0.89]), "these agree, and cost no more"


class Doubtful(Unpaced):
    """A rewrite that is twice as fast while the machine is slow, and no faster while it is not.

    Its samples take so long that a stage is one take.
    """

    rewrites = (Program("python", "doubtful"),)
    round_size = 4

    def __init__(self) -> None:
        self.takes = 0

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:  # noqa: ARG002 - the interface
        self.takes += 1
        return (Block.of([sample(used(1.0)), sample(used(3.0))], [sample(used(1.0)), sample(used(1.5))]),)

    def only(self, numbers: Sequence[int]) -> Doubtful:  # noqa: ARG002 - likewise
        return self


def test_a_candidate_that_stays_doubtful_is_sampled_no_more_than_twice_for_it() -> None:
    source = Doubtful()
    assert screened(source)[0].decision is Decision.NOT_BETTER
    assert source.takes == 1 + MOST_DOUBTS == 3


class Waiting(Unpaced):
    """A rewrite that halves CPU time, while wall time "rises" in as many takes as are told."""

    rewrites = (Program("python", "waiting"),)
    round_size = 4

    def __init__(self, takes: int) -> None:
        self._takes = takes

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:  # noqa: ARG002 - the interface
        self._takes -= 1
        after = used(0.5, wall_s=1.3 if self._takes >= 0 else 0.5)
        return (Block.of([sample(used(1.0))] * 2, [sample(after)] * 2),)

    def only(self, numbers: Sequence[int]) -> Waiting:  # noqa: ARG002 - likewise
        return self


def test_wall_time_that_rose_once_on_a_busy_machine_stands_against_nobody() -> None:
    takes = 2  # of a single candidate whose samples agree
    [once], [always] = screened(Waiting(takes)), screened(Waiting(100))
    assert once.decision is Decision.PROMISING, once.reason
    assert always.decision is Decision.NOT_BETTER
    assert always.reason == "wall time rose to 1.30x, measured twice"
