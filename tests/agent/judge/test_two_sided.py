"""What the test in both directions says of blocks that are made up: no clock is asked."""

from __future__ import annotations

import math
import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.measuring.sampling import Block
from afterburner.agent.judge.measuring.sequential import ALPHA, TWO_SIDED_LOOKS, Look, plan_two_sided
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.types import Decision, Objective

from .conftest import Ready, sample, used

if TYPE_CHECKING:
    from afterburner.agent.judge.measuring.sampling import Sample
    from afterburner.sandbox import Measurement

JUDGE = TwoSidedJudge(Objective.TIME, min_effect=0.05, seed=0)


def noisy(ratio: float, spread: float, count: int, seed: int = 0) -> list[Block]:
    """Blocks of two versions of which the first takes `ratio` times as long, up to noise."""
    chance = random.Random(seed)
    return [
        Block.of(
            (sample(used(ratio * math.exp(chance.gauss(0, spread)))),),
            (sample(used(math.exp(chance.gauss(0, spread)))),),
        )
        for _ in range(count)
    ]


def decided(blocks: list[Block], judge: TwoSidedJudge = JUDGE) -> str:
    """The decision of a whole test on these blocks, looked at as planned."""
    looks = plan_two_sided(len(blocks))
    for look in looks:
        said = judge.weigh(blocks[: look.blocks], look, is_last=look is looks[-1])
        if said is not None:
            assert said.gain is not None
            if said.decision is Decision.NOT_BETTER:
                return "slower" if judge.is_slower(said.gain) else "same"
            return {Decision.IMPROVED: "faster"}.get(said.decision, said.decision.value)
    raise AssertionError


def opposite(decision: str) -> str:
    return {"faster": "slower", "slower": "faster"}.get(decision, decision)


@pytest.mark.parametrize(
    ("ratio", "decision"), [(2.0, "faster"), (1.2, "faster"), (1.0, "same"), (1 / 1.2, "slower"), (0.5, "slower")]
)
def test_clear_ratios_are_told_in_both_directions(ratio: float, decision: str) -> None:
    assert decided(noisy(ratio, 0.01, 16)) == decision


def test_noise_that_covers_a_limit_is_no_answer() -> None:
    assert decided(noisy(1.05, 0.4, 32)) == "too_noisy"


def test_an_interval_that_crosses_a_limit_is_printed_so() -> None:
    told = []
    for seed in range(400):
        blocks = noisy(1.0, 0.06, 32, seed)
        said = JUDGE.weigh(blocks, plan_two_sided(32)[-1], is_last=True)
        if said is not None and said.decision is Decision.TOO_NOISY:
            told.append(said.reason)
    assert told
    for reason in told:
        _, low, high, least, most = (float(each) for each in re.findall(r"([\d.]+)x", reason))
        assert low < least or high > most, reason


def test_the_looks_of_each_bound_share_half_of_an_offers_error() -> None:
    assert math.fsum(alpha for _, alpha in TWO_SIDED_LOOKS) == pytest.approx(ALPHA / 2)
    for most in (1, 8, 20, 64, 1000):
        assert math.fsum(look.alpha for look in plan_two_sided(most)) == pytest.approx(ALPHA / 2)


def test_a_version_at_the_limit_is_called_faster_or_slower_no_more_often_than_the_error_allows() -> None:
    """The worst case of the promise: exactly the minimum effect, in either direction; the seeds are fixed."""
    trials = 400
    for ratio, wrong in ((1.05, "faster"), (1 / 1.05, "slower")):
        found = [decided(noisy(ratio, 0.03, 32, seed)) for seed in range(trials)]
        assert found.count(wrong) <= 6, "0.5% are allowed, and 6 of 400 happen by chance once in a hundred such tests"


def test_exchanging_the_versions_exchanges_the_answers() -> None:
    for seed in range(40):
        blocks = noisy(random.Random(seed).choice((0.8, 0.95, 1.0, 1.06, 1.3)), 0.03, 16, seed)
        assert decided([block.swapped() for block in blocks]) == opposite(decided(blocks))


@pytest.mark.parametrize(
    ("objective", "one", "other", "decision", "said"),
    [
        (Objective.TIME, sample(used(1.1, 1.1)), sample(used(1.0, 1.2)), "refused", "CPU time fell but wall time rose"),
        (Objective.MEMORY, sample(used(1.0, peak_kib=20_000)), sample(used(3.0)), "refused", "peak memory fell but"),
        (
            Objective.TIME,
            sample(used(1.2)),
            sample(used(1.0), complaints=("threads: t-1",)),
            "refused",
            "threads running",
        ),
        (Objective.TIME, sample(used(1.2), complaints=("threads: t-1",)), sample(used(1.0)), "faster", "CPU time"),
    ],
)
def test_a_loss_is_refused_for_what_a_gain_is_refused_for(
    objective: Objective, one: Sample, other: Sample, decision: str, said: str
) -> None:
    """What costs too much elsewhere, or leaves something behind, is no gain of AFTER and no loss against BEFORE."""
    judge = replace(JUDGE, objective=objective)
    blocks = [Block.of((one,), (other,))] * 8
    assert decided(blocks, judge) == decision
    swapped = [block.swapped() for block in blocks]
    assert decided(swapped, judge) == opposite(decision)
    found = judge.weigh(swapped, Look(8, 0.004), is_last=True)
    assert found is not None
    assert said in found.reason


def test_a_loss_of_a_version_that_leaves_work_behind_is_measured_all_the_same() -> None:
    honest, leaving = sample(used(1.0)), sample(used(1.2), complaints=("threads: t-1",))
    source = Ready(Block.of((honest,), (leaving,)))
    said, _ = JUDGE.confirm(source, Deadline.after(60), held_out_from=0)
    assert said.gain is not None
    assert JUDGE.is_slower(said.gain)
    assert said.decision is Decision.NOT_BETTER


def test_wall_time_decides_where_either_version_waits() -> None:
    busy, waiting = sample(used(1.0, 1.0)), sample(used(1.0, 3.0))
    assert decided([Block.of((busy,), (waiting,))] * 8) == "slower"
    assert decided([Block.of((waiting,), (busy,))] * 8) == "faster"


@pytest.mark.parametrize(("outside_s", "decision"), [(0.02, "slower"), (0.2, "refused")])
def test_a_process_may_do_more_outside_calls_that_no_longer_wait(outside_s: float, decision: str) -> None:
    """What saves wall time is held against what the rest of the process takes, although it saves no CPU time."""
    busy = sample(used(0.001, 0.001), used(0.101 + outside_s, 0.101 + outside_s))
    waiting = sample(used(0.001, 0.2), used(0.101, 0.3))
    assert decided([Block.of((busy,), (waiting,))] * 8) == decision


def test_work_that_moved_to_the_import_is_no_gain_and_its_return_no_loss() -> None:
    """The whole process needs as much as before."""
    honest = sample(used(1.0), used(1.1))
    moved = replace(sample(used(0.5), used(1.1)), load_cpu_s=0.5)
    look = Look(8, 0.004)
    for block in (Block.of((honest,), (moved,)), Block.of((moved,), (honest,))):
        said = JUDGE.weigh([block] * 8, look, is_last=True)
        assert said is not None
        assert said.decision is Decision.REFUSED
        assert (
            "the time saved in the calls reappears outside them, when the module is imported: the calls take 500 ms "
            "less CPU time and the rest of the process takes 500 ms more; either work has moved there, or the machine "
            "was busy"
        ) in said.reason
        assert said.reason.startswith("BEFORE looks better than AFTER, but") == (block.before[0] is moved)


@pytest.mark.parametrize(
    ("saved", "load_s", "told"),
    [
        (used(4e-5), 0.0, "outside the calls, the process takes 322 ms more CPU time, far more than the 40.0 µs that"),
        (
            used(4e-5),
            0.3,
            "when it imports the module, the process takes 322 ms more CPU time, far more than the 40.0 µs",
        ),
        (used(0.0, 0.02), 0.0, "outside the calls, the process takes 322 ms more CPU time, far more than the 20.0 ms"),
        (used(0.1), 0.0, "the time saved in the calls reappears outside them: the calls take 100 ms less CPU time and"),
        (
            used(0.0, 0.1),
            0.0,
            "the time saved in the calls reappears outside them: the calls take 100 ms less wall time",
        ),
    ],
)
def test_what_outweighs_the_gain_by_far_is_not_called_the_time_that_was_saved(
    saved: Measurement, load_s: float, told: str
) -> None:
    """322 ms do not reappear where 40 µs were saved."""
    less, more = used(1e-5), used(1e-5 + saved.cpu_time_s, 1e-5 + saved.wall_time_s)
    before = sample(more, used(0.1 + more.cpu_time_s))
    after = replace(sample(less, used(0.422 + less.cpu_time_s)), load_cpu_s=load_s)
    said = JUDGE.weigh([Block.of((before,), (after,))] * 8, Look(8, 0.004), is_last=True)
    assert said is not None
    assert said.decision is Decision.REFUSED
    assert told in said.reason
    assert "or the machine was busy" in said.reason
    assert said.reason.endswith(", or on calls that take longer") == ("far more" in told)


@pytest.mark.parametrize(("outside_s", "decision"), [(0.0, "faster"), (0.03, "refused")])
def test_calls_of_microseconds_owe_nothing_to_the_noise_of_whole_processes(outside_s: float, decision: str) -> None:
    """The start of a process varies by more than such calls save; work that moved there shows all the same."""
    overheads = [
        0.030,
        0.034,
        0.001,
        0.002,
        0.028,
        0.026,
        0.0,
        0.003,
        0.031,
        0.020,
        0.002,
        0.001,
        0.022,
        0.019,
        0.0,
        0.025,
    ]
    blocks = [
        Block.of(
            (sample(used(2e-5), used(0.150)),),
            (sample(used(1e-5), used(0.145 + more + outside_s)),),
        )
        for more in overheads
    ]
    assert decided(blocks) == decision
    assert decided([block.swapped() for block in blocks]) == opposite(decision)
