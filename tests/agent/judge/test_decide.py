"""What the judge says of programs that are faster, leaner, the same, wrong, or only seem better."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge import decide
from afterburner.agent.judge.decide import FEWEST_FRESH, Judge
from afterburner.agent.judge.measuring.figures import CPU, WALL
from afterburner.agent.judge.measuring.sample_sources import FreshSource, Sampler
from afterburner.agent.judge.measuring.sampling import Block, Sample, SampleMode
from afterburner.agent.judge.measuring.sequential import Look
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.types import Decision, Objective
from afterburner.sandbox import Limits, Measurement, Program, TestCase, Verdict

from .conftest import Ready, blocks_of, sample, used

if TYPE_CHECKING:
    from afterburner.agent.judge.comparison import Comparison
    from afterburner.sandbox.sandbox import Sandbox

SLOW = "print(sum(i * i for i in range(1_500_000)))"
FAST = "n = 1_500_000 - 1\nprint(n * (n + 1) * (2 * n + 1) // 6)"
WRONG = "print(1124998874999875000)"
FAT = "rows = [str(i) for i in range(400_000)]\nprint(sum(map(len, rows)))"
LEAN = "print(sum(len(str(i)) for i in range(400_000)))"
SOON = 60.0
LAST = Look(16, 0.003)


def judge(objective: Objective = Objective.TIME) -> Judge:
    return Judge(objective, min_effect=0.05, seed=0)


def source(sandbox: Sandbox, before: str, *after: str) -> FreshSource:
    [case] = sandbox.run(Program("python", before), [TestCase()]).cases
    expected = TestCase(expected_stdout=case.stdout)
    sampler = Sampler(sandbox, (expected, expected), Limits(), TimingCore())
    return FreshSource(sampler, Program("python", before), tuple(Program("python", text) for text in after))


def screened(sandbox: Sandbox, before: str, after: str, objective: Objective = Objective.TIME) -> Comparison:
    [comparison] = judge(objective).screen(source(sandbox, before, after), Deadline.after(SOON))
    return comparison


def weighed(blocks: list[Block], objective: Objective = Objective.TIME) -> Comparison:
    comparison = judge(objective).weigh(blocks, LAST, is_last=True)
    assert comparison is not None
    return comparison


@pytest.mark.timed
def test_far_less_work_is_promising(sandbox: Sandbox) -> None:
    comparison = screened(sandbox, SLOW, FAST)
    assert comparison.decision is Decision.PROMISING, comparison.reason
    assert comparison.gain is not None
    assert comparison.before is not None
    assert comparison.after is not None
    assert comparison.before.cpu_time_s > comparison.after.cpu_time_s


def test_a_slower_program_is_called_worse(sandbox: Sandbox) -> None:
    comparison = screened(sandbox, FAST, SLOW)
    assert comparison.decision is Decision.NOT_BETTER
    assert "worse" in comparison.reason


def test_a_wrong_program_is_never_faster(sandbox: Sandbox) -> None:
    comparison = screened(sandbox, SLOW, WRONG)
    assert comparison.decision is Decision.WRONG
    assert comparison.verdict is Verdict.WRONG_ANSWER
    assert comparison.gain is None


def test_an_original_that_fails_when_measured_is_not_the_rewrites_fault(sandbox: Sandbox) -> None:
    broken = FreshSource(
        Sampler(sandbox, (TestCase(expected_stdout=b"1\n"),), Limits(), TimingCore()),
        Program("python", "print(2)"),
        (Program("python", "print(1)"), Program("python", "print(1)")),
    )
    for comparison in judge().screen(broken, Deadline.after(SOON)):
        assert comparison.decision is Decision.REFUSED
        assert "the original behaved differently" in comparison.reason


@pytest.mark.timed
def test_memory_is_judged_by_the_peak(sandbox: Sandbox) -> None:
    assert screened(sandbox, FAT, LEAN, Objective.MEMORY).decision is Decision.PROMISING
    assert screened(sandbox, LEAN, FAT, Objective.MEMORY).decision is Decision.NOT_BETTER


@pytest.mark.timed
def test_confirmation_tells_the_held_out_gain_by_itself(sandbox: Sandbox) -> None:
    taken: list[tuple[int, int]] = []
    comparison, held_out = judge().confirm(
        source(sandbox, SLOW, FAST),
        Deadline.after(SOON),
        held_out_from=1,
        on_blocks=lambda done, most: taken.append((done, most)),
    )
    assert comparison.decision is Decision.IMPROVED, comparison.reason
    assert comparison.gain is not None
    assert comparison.gain.low > 1.05
    assert comparison.gain.confidence == 0.98, "of a test that might have ended at another look"
    assert comparison.gain.pairs == len(comparison.blocks) == taken[-1][0] == 8, "a large gain needs the first look"
    assert held_out is not None
    assert held_out.low > 1


class Waiting(Ready):
    """A rewrite that halves CPU time, wall time in these ratios, a take each, then `at_last`."""

    def __init__(self, *wall_s: float, at_last: float) -> None:
        self._wall_s, self._at_last = list(wall_s), at_last
        super().__init__(self._of(at_last))
        self.seeds: list[int] = []

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:  # noqa: ARG002 - the interface
        self.seeds.append(seed)
        return (self._of(self._wall_s.pop(0) if self._wall_s else self._at_last),)

    @staticmethod
    def _of(wall_s: float) -> Block:
        return Block.of([sample(used(1.0))] * 2, [sample(used(0.5, wall_s=wall_s))] * 2)


RISES = [1.3] * (1 + 8)  # up to the first look, with the block that is no part of the test


def confirmed(source: Waiting) -> Comparison:
    return judge().confirm(source, Deadline.after(SOON), held_out_from=0)[0]


def test_wall_time_that_rose_is_measured_again_before_it_refuses() -> None:
    once, always = confirmed(Waiting(*RISES, at_last=0.5)), confirmed(Waiting(at_last=1.3))
    assert once.decision is Decision.IMPROVED, once.reason
    assert len(once.blocks) == 8, "what is measured again takes no part in the test"
    assert always.decision is Decision.NOT_BETTER
    assert always.reason == "CPU time fell but wall time rose to 1.30x, and 1.30x over both measurements"


def test_a_rise_that_is_proven_is_not_cleared_by_a_second_measurement_that_shows_none() -> None:
    said = confirmed(Waiting(*RISES, at_last=1.0))
    assert said.decision is Decision.NOT_BETTER
    assert said.reason == "CPU time fell but wall time rose to 1.30x, and 1.14x over both measurements"


def test_a_rise_that_is_an_estimate_has_to_show_again() -> None:
    noise = [1.0, *[0.9, 1.2] * 4]
    cleared, stands = confirmed(Waiting(*noise, at_last=1.0)), confirmed(Waiting(*noise, at_last=1.1))
    assert cleared.decision is Decision.IMPROVED, cleared.reason
    assert stands.decision is Decision.NOT_BETTER
    assert stands.reason == "CPU time fell but wall time rose to 1.04x, and 1.10x in a second measurement"


def test_second_measurements_share_their_time_and_no_two_takes_have_one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    source, judging = Waiting(at_last=1.0), judge()
    assert judging.fresh_blocks(source, 16, Deadline.after(0)) == []
    assert source.seeds == [], "nothing is taken after the deadline"
    assert len(judging.fresh_blocks(source, 16, Deadline.after(SOON))) == 16
    monkeypatch.setattr(decide, "SECOND_MEASUREMENTS_S", 0.0)
    assert len(judging.fresh_blocks(source, 16, Deadline.after(SOON))) == FEWEST_FRESH
    assert judging.confirm(source, Deadline.after(SOON), held_out_from=0)[0].decision is Decision.IMPROVED
    assert len(set(source.seeds)) == len(source.seeds)


def test_nothing_is_decided_after_the_deadline(sandbox: Sandbox) -> None:
    late = Deadline.after(0)
    assert [each.decision for each in judge().screen(source(sandbox, SLOW, FAST, FAT), late)] == [Decision.REFUSED] * 2
    comparison, held_out = judge().confirm(source(sandbox, SLOW, FAST), late, held_out_from=1)
    assert (comparison.decision, held_out) == (Decision.REFUSED, None)


def noisy_blocks(ratio: float, spread: float, count: int) -> list[Block]:
    rng = random.Random(3)

    def side(cpu_s: float) -> tuple[Sample, Sample]:
        return tuple(sample(used(cpu_s * math.exp(rng.gauss(0, spread)))) for _ in range(2))  # type: ignore[return-value]

    return [Block.of(side(ratio), side(1.0)) for _ in range(count)]


def test_each_input_counts_with_its_own_least_figure() -> None:
    """A neighbour disturbs one call in one process and another call in another."""
    first, second = split(used(1.0), used(3.0)), split(used(1.4), used(2.0))
    block = Block.of((first, second), (first, first))
    assert [sum(each.cpu_time_s for each in side) for side in block.used] == [3.0, 4.0]
    assert block.log_ratio(CPU) == pytest.approx(math.log(3 / 4))
    assert block.without_parts().log_ratio(CPU) == pytest.approx(math.log(3 / 4))


def paired(*factors: float, mode: SampleMode, ratio: float = 1.1) -> Block:
    """Samples of two inputs that ran together, pair by pair on a machine that was slower by each of these factors."""
    before, after = (
        [
            Sample(used(3 * f * each), used(3 * f * each), (used(f * each), used(2 * f * each)), mode=mode)
            for f in factors
        ]
        for each in (ratio, 1.0)
    )
    return Block.of([split(used(9.0), used(9.0)), *before], [split(used(5.0), used(4.0)), *after])


def test_what_slows_down_a_pair_cancels_in_it() -> None:
    block = paired(1.0, 7.0, 1.3, mode=SampleMode.IN_TURNS)
    assert block.log_ratio(CPU) == pytest.approx(math.log(1.1))
    assert block.log_ratio(WALL) == pytest.approx(math.log(1.1)), "only one of them runs at a time"
    at_once = paired(1.0, 7.0, 1.3, mode=SampleMode.AT_ONCE)
    assert at_once.log_ratio(CPU) == pytest.approx(math.log(1.1))
    assert at_once.log_ratio(WALL) == pytest.approx(math.log(18 / 9)), "that of the samples that ran alone"
    assert at_once.alone().log_ratio(CPU) == pytest.approx(math.log(18 / 9))


def test_one_disturbed_pair_of_calls_made_in_turns_does_not_count() -> None:
    pairs = [(used(1.1), used(1.0)), (used(1.1), used(1.0)), (used(1.1), used(50.0))]
    before, after = (
        [Sample(each, each, (each,), mode=SampleMode.IN_TURNS) for each in side] for side in zip(*pairs, strict=True)
    )
    assert Block.of(before, after).log_ratio(CPU) == pytest.approx(math.log(1.1))


def test_exchanging_the_sides_of_a_block_turns_its_sign() -> None:
    """The test needs that: of two programs that are equal, each sign has to be as likely."""
    chance = random.Random(1)

    def side(mode: SampleMode) -> list[Sample]:
        return [
            Sample(used(2.0), used(2.0), (used(chance.random()), used(chance.random())), mode=mode) for _ in range(5)
        ]

    for mode in SampleMode:
        before, after = side(mode), side(mode)
        for figure in (CPU, WALL):
            there, back = Block.of(before, after).log_ratio(figure), Block.of(after, before).log_ratio(figure)
            assert there == pytest.approx(-back)
            assert there != 0


def test_samples_that_do_not_tell_are_no_offer() -> None:
    comparison = weighed(noisy_blocks(1.15, 0.3, 16))
    assert comparison.decision is Decision.TOO_NOISY, comparison.reason
    assert "too noisy to tell" in comparison.reason
    assert judge().weigh(noisy_blocks(1.15, 0.3, 16), LAST, is_last=False) is None, "before the end it goes on"


def test_identical_code_is_given_up_before_the_end() -> None:
    comparison = judge().weigh(noisy_blocks(1.0, 0.02, 16), Look(16, 0.0015), is_last=False)
    assert comparison is not None
    assert comparison.decision is Decision.NOT_BETTER


def test_cpu_time_saved_at_the_cost_of_wall_time_is_no_gain() -> None:
    comparison = weighed(blocks_of(sample(used(1.0)), sample(used(0.5, wall_s=2.0))))
    assert comparison.decision is Decision.NOT_BETTER
    assert "wall time rose" in comparison.reason


def test_wall_time_decides_where_the_original_mostly_waits() -> None:
    waiting = sample(used(0.1, wall_s=1.0))
    assert weighed(blocks_of(waiting, sample(used(0.05, wall_s=1.0)))).decision is Decision.NOT_BETTER
    comparison = weighed(blocks_of(waiting, sample(used(0.1, wall_s=0.5))))
    assert comparison.decision is Decision.IMPROVED, comparison.reason


def test_a_gain_in_wall_time_is_called_one() -> None:
    waiting, waiting_less = used(0.1, wall_s=1.0), used(0.1, wall_s=0.5)
    for before, after, figure in ((waiting, waiting_less, "wall time"), (used(1.0), used(0.5), "")):
        both = [[Sample(each, each, (each, each))] * 2 for each in (before, after)]
        block = Block.of(*both)
        confirmed, _ = judge().confirm(Ready(block), Deadline.after(SOON), held_out_from=1)
        [ranked] = judge().screen(Ready(block), Deadline.after(SOON))
        assert (confirmed.figure, ranked.figure) == (figure, figure)


def test_one_sample_beside_a_busy_neighbour_does_not_make_an_original_wait() -> None:
    """Its wall time doubles, yet another sample shows that it computes all the time."""
    crowded, alone = sample(used(1.0, wall_s=2.0)), sample(used(1.0))
    after = sample(used(0.5, wall_s=1.0))
    comparison = weighed([Block.of((crowded, alone), (after, after))] * 16)
    assert comparison.decision is Decision.IMPROVED, comparison.reason
    assert comparison.gain is not None
    assert comparison.gain.ratio == pytest.approx(2.0)


def test_more_cores_are_no_gain_for_more_cpu_time() -> None:
    comparison = weighed(blocks_of(sample(used(1.0)), sample(used(1.4, wall_s=0.5))))
    assert comparison.decision is Decision.NOT_BETTER
    assert "CPU time rose" in comparison.reason


def test_work_that_moved_out_of_the_calls_is_not_saved() -> None:
    comparison = weighed(blocks_of(sample(used(1.0)), sample(used(0.1), used(1.0))))
    assert comparison.decision is Decision.REFUSED
    assert "outside" in comparison.reason


def test_memory_saved_by_far_more_time_is_no_gain() -> None:
    lean = sample(used(5.0, peak_kib=1_000))
    comparison = weighed(blocks_of(sample(used(1.0)), lean), Objective.MEMORY)
    assert comparison.decision is Decision.NOT_BETTER
    assert "CPU time rose" in comparison.reason


def split(*by_input: Measurement) -> Sample:
    whole = used(sum(each.cpu_time_s for each in by_input))
    return Sample(whole, whole, by_input)


def test_a_loss_on_held_out_inputs_is_no_offer() -> None:
    before, after = split(used(1.9), used(0.1)), split(used(0.1), used(0.5))
    block = Block.of((before, before), (after, after))
    comparison, held_out = judge().confirm(Ready(block), Deadline.after(SOON), held_out_from=1)
    assert comparison.decision is Decision.NOT_BETTER
    assert "held-out" in comparison.reason
    assert held_out is not None
    assert held_out.ratio == pytest.approx(0.2)


def test_the_gain_is_of_the_workload_as_a_whole_with_its_range_from_small_inputs_to_large_ones() -> None:
    before = split(used(0.001), used(0.001), used(0.01), used(0.01), used(0.1), used(0.1))
    after = split(used(0.0005), used(0.0005), used(0.003), used(0.003), used(0.0025), used(0.0025))
    source = Ready(Block.of([before] * 2, [after] * 2))
    comparison, _ = judge().confirm(source, Deadline.after(SOON), held_out_from=3)
    assert comparison.gain is not None
    assert comparison.gain.ratio == pytest.approx(0.222 / 0.012), "the time of all calls, before and after"
    assert comparison.by_size is not None
    assert (comparison.by_size.small, comparison.by_size.large) == (pytest.approx(2), pytest.approx(40))


def test_inputs_of_one_size_have_no_range() -> None:
    one = split(used(0.1), used(0.11), used(0.12))
    comparison, _ = judge().confirm(Ready(Block.of([one], [one])), Deadline.after(SOON), held_out_from=1)
    assert comparison.by_size is None


class OfThreeInputs(Ready):
    """A rewrite that halves the time of the first input, which selection saw, and is slower on one of two others."""

    def __init__(self) -> None:
        before, after = (10.0, 1.0, 1.0), (5.0, 0.9, 1.6)
        sides = [Sample(used(sum(each)), used(sum(each)), tuple(map(used, each))) for each in (before, after)]
        super().__init__(Block.of([sides[0]] * 2, [sides[1]] * 2))


def test_an_input_on_which_a_gain_is_lost_is_named() -> None:
    names = ("f(0)", "f([])", "f([1, 2])")
    said, held_out = judge().confirm(OfThreeInputs(), Deadline.after(SOON), held_out_from=1, names=names)
    assert said.decision is Decision.NOT_BETTER
    assert held_out is not None
    assert said.reason == (
        "better on the inputs it was selected on, but 0.80x on held-out inputs, the least on f([1, 2])"
    )
    said, _ = judge().confirm(OfThreeInputs(), Deadline.after(SOON), held_out_from=1)
    assert said.reason.endswith("on held-out inputs")
