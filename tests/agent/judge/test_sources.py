"""How samples of calls are taken: which run together, and who is blamed when they cannot be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.measuring.figures import WALL, figures_for
from afterburner.agent.judge.measuring.sample_sources import DuelSource, FreshSource, Sampler
from afterburner.agent.judge.measuring.sampling import SampleFailedError, SampleMode, block_order
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.types import Decision, Objective
from afterburner.sandbox import CallCase, FunctionEntry, Limits, Program, Verdict
from afterburner.sandbox.driver.call_blobs import dump_call

if TYPE_CHECKING:
    from afterburner.sandbox.sandbox import Sandbox

SUM = "sum(i * i for i in range(n))"
NAP = "(time.sleep(0.01), n)[1]"


def program(body: str) -> Program:
    entry = FunctionEntry("target", "/afterburner/program/target.py", "f")
    return Program("python", f"import os, time\ndef f(n):\n    return {body}\n", entry)


def source(sandbox: Sandbox, original: str, *rewrites: str, sizes: tuple[int, ...]) -> DuelSource:
    calls = tuple(dump_call((n,), {}, {}) for n in sizes)
    expected = tuple(outcome.encoded for outcome in sandbox.run(program(original), [CallCase(calls)]).cases[0].outcomes)
    rivals = tuple(map(program, rewrites))
    return DuelSource(sandbox, program(original), rivals, CallCase(calls, expected), Limits(5.0, 5.0), TimingCore())


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("body", "sizes", "mode"),
    [
        (SUM, (1_000, 2_000, 3_000), SampleMode.IN_TURNS),
        (SUM, (3_000_000, 1_000), SampleMode.AT_ONCE),
        (NAP, (1, 2, 3), SampleMode.IN_TURNS),
    ],
    ids=["short calls", "a long call", "calls that wait"],
)
def test_calls_decide_how_samples_run_together(
    sandbox: Sandbox, body: str, sizes: tuple[int, ...], mode: SampleMode
) -> None:
    first = source(sandbox, body, body, body, sizes=sizes)
    blocks = first.take(1, 0)
    assert {each.mode for block in blocks for each in (*block.before, *block.after)} == {SampleMode.ALONE}
    paced, repeats = first.paced(blocks)
    assert (paced.mode, paced.is_together) == (mode, True)
    one_way = 1 if mode is SampleMode.AT_ONCE else 2
    assert paced.per_repeat == one_way
    for block in paced.take(repeats, 1):
        # two samples of the original in a group of long ones: what disturbs it shifts the comparison with each rewrite
        for side, together in ((block.before, 2), (block.after, one_way)):
            assert [each.mode for each in side] == [SampleMode.ALONE] * one_way + [mode] * together * repeats
    [block] = paced.only([1]).take(1, 2, alone=False)
    assert [each.mode for each in block.before] == [mode] * 2, "whoever is left: the figures are compared later"
    assert [each.mode for each in block.after] == [mode] * one_way
    assert (figures_for(Objective.TIME, blocks).primary is WALL) == (body == NAP)


def test_where_a_rewrite_starts_threads_wall_time_decides_of_samples_alone(sandbox: Sandbox) -> None:
    in_a_thread = "(_thread.start_new_thread(time.sleep, (0,)), time.sleep(0.001), n)[2]"
    first = source(sandbox, "(time.sleep(0.0), n)[1]", in_a_thread, sizes=(1, 2, 3))
    rewrite = replace(first.rewrites[0], source=f"import _thread\n{first.rewrites[0].source}")
    first = replace(first, rewrites=(rewrite,))
    blocks = first.take(1, 0)
    assert {each.tasks for each in blocks[0].before} == {0}
    assert {each.tasks for each in blocks[0].after} == {3}
    assert first.paced(blocks)[0].mode is SampleMode.ALONE
    [turned] = (replace(block, before=block.after, after=block.before) for block in blocks)
    assert first.paced([turned])[0].mode is SampleMode.ALONE, "in company they would be counted to the rewrite"
    of_a_busy_original = replace(blocks[0], before=tuple(replace(each, work=each.process) for each in blocks[0].before))
    assert figures_for(Objective.TIME, [of_a_busy_original]).primary is WALL


def test_where_there_is_no_memory_for_all_each_runs_alone(sandbox: Sandbox) -> None:
    first = source(sandbox, SUM, SUM, sizes=(1_000, 2_000))
    peak_kib = max(each.process.peak_memory_kib for block in first.take(1, 0) for each in block.before)
    assert peak_kib > 1_000
    for memory_kib, mode in ((2 * peak_kib, SampleMode.ALONE), (int(3.5 * peak_kib), SampleMode.IN_TURNS)):
        tight = replace(first, limits=replace(first.limits, memory_kib=memory_kib))
        paced, _ = tight.paced(tight.take(1, 1))
        assert paced.mode is mode


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    ("mode", "when"),
    [
        (SampleMode.AT_ONCE, "at load"),
        pytest.param(SampleMode.IN_TURNS, "in a call", marks=pytest.mark.nightly),
        pytest.param(SampleMode.IN_TURNS, "at load", marks=pytest.mark.nightly),
        pytest.param(SampleMode.AT_ONCE, "in a call", marks=pytest.mark.nightly),
    ],
)
def test_who_hangs_is_blamed_whoever_waits_for_it(sandbox: Sandbox, mode: SampleMode, when: str, seed: int) -> None:
    first = source(sandbox, SUM, SUM, f"{SUM} if n < 2_000 else time.sleep(60)", SUM, sizes=(1_000, 2_000, 3_000))
    if when == "at load":
        good, _, again = first.rewrites
        first = replace(first, rewrites=(good, replace(good, source=f"{good.source}time.sleep(60)\n"), again))
    together = replace(first, mode=mode, limits=Limits(2.0, 2.0))
    with pytest.raises(SampleFailedError) as failed:
        together.take(1, seed, alone=False)
    assert failed.value.side == 2, failed.value.detail
    assert failed.value.verdict is Verdict.TIME_LIMIT


TEN_TIMES = f"({', '.join([SUM] * 10)})[0]"
ONLY_LONG_ONES = f"({', '.join([SUM] * 10)})[0] if n > 2_000 else {SUM}"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("sizes", [(3_000, 2_500, 4_000), (400_000, 3_000)], ids=["short calls", "a long call"])
def test_where_the_gain_is_plain_blocks_of_a_test_are_brief(sandbox: Sandbox, sizes: tuple[int, ...]) -> None:
    first = source(sandbox, TEN_TIMES, SUM, sizes=sizes)
    comparison, _ = Judge(Objective.TIME, 0.05, seed=0).confirm(first, Deadline.after(60), held_out_from=1)
    assert comparison.decision is Decision.IMPROVED, comparison.reason
    assert comparison.gain is not None
    assert comparison.gain.low > 2
    assert {each.mode for block in comparison.blocks for each in (*block.before, *block.after)} == {SampleMode.ALONE}
    assert len({len(side) for block in comparison.blocks for side in (block.before, block.after)}) == 1
    paced, _ = first.paced(first.take(1, 0), brief=True)
    assert (paced.per_repeat, paced.round_size) == (1, 2)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("bodies", "sizes", "min_effect"),
    [
        ((SUM, TEN_TIMES), (3_000, 3_000), 0.05),
        ((ONLY_LONG_ONES, SUM), (60_000, 1_000), 0.05),
        ((TEN_TIMES, SUM), (3_000, 3_000), 9.0),
    ],
    ids=["slower", "no gain on what is held out", "no more than is needed"],
)
def test_other_blocks_are_not_brief(
    sandbox: Sandbox, bodies: tuple[str, str], sizes: tuple[int, ...], min_effect: float
) -> None:
    first = source(sandbox, *bodies, sizes=sizes)
    comparison, _ = Judge(Objective.TIME, min_effect, seed=0).confirm(first, Deadline.after(60), held_out_from=1)
    modes = {each.mode for block in comparison.blocks for each in (*block.before, *block.after)}
    assert SampleMode.ALONE in modes
    assert len(modes) == 2, "they ran in company, too"


@pytest.mark.nightly
def test_brief_blocks_of_fresh_processes(sandbox: Sandbox) -> None:
    calls = (dump_call((100_000,), {}, {}),)
    sampler = Sampler(sandbox, (CallCase(calls), CallCase(calls)), Limits(5.0, 5.0), TimingCore())
    fresh = FreshSource(sampler, program(TEN_TIMES), (program(SUM),))
    blocks = fresh.take(1, 0)
    assert [len(side) for side in (blocks[0].before, blocks[0].after)] == [2, 2]
    paced, _ = fresh.paced(blocks, brief=True)
    [block] = paced.take(3, 0)
    assert [len(side) for side in (block.before, block.after)] == [3, 3]
    assert not paced.paced(blocks)[0].is_brief
    comparison, _ = Judge(Objective.MEMORY, 0.05, seed=0).confirm(fresh, Deadline.after(60), held_out_from=1)
    assert all(len(block.before) % 2 == 0 for block in comparison.blocks), "there and back: it is not about time"


def test_a_coin_decides_who_comes_first() -> None:
    assert {block_order(2, 1, seed, ways=1) for seed in range(20)} == {(0, 1), (1, 0)}
    assert {block_order(2, 1, seed) for seed in range(20)} == {(0, 1, 1, 0), (1, 0, 0, 1)}
    assert sorted(block_order(3, 4, 0, ways=1)) == sorted([0, 1, 2] * 4)


def test_an_original_that_leaves_files_has_no_company(sandbox: Sandbox) -> None:
    """It would find what another process left, and do otherwise."""
    leaves = f"(open('/tmp/left', 'w').close(), {SUM})[1]"
    first = source(sandbox, leaves, leaves, sizes=(1_000, 2_000))
    paced, repeats = first.paced(first.take(1, 0))
    assert paced.mode is SampleMode.ALONE
    assert {each.mode for block in paced.take(repeats, 1) for each in block.after} == {SampleMode.ALONE}


@pytest.mark.nightly  # each sample is waited for to its limit
def test_a_failure_of_the_original_in_company_is_looked_at_alone(sandbox: Sandbox) -> None:
    """It may be the doing of one of the others: alone it is plain whose."""
    stops = """
import os
def f(n):
    for pid in range(2, 40):
        if pid not in (os.getpid(), os.getppid()):
            try:
                os.kill(pid, 19)
            except OSError:
                continue
    return sum(i * i for i in range(n))
"""
    first = source(sandbox, SUM, "(n - 1) * n * (2 * n - 1) // 6", SUM, sizes=(10_000, 20_000))
    good, _ = first.rewrites
    hostile = replace(first, rewrites=(good, replace(good, source=stops)), limits=Limits(3.0, 3.0))
    quick, _ = Judge(Objective.TIME, min_effect=0.05, seed=0).screen(hostile, Deadline.after(60))
    assert quick.decision is Decision.PROMISING, quick.reason


@pytest.mark.timed
def test_an_original_that_does_not_stand_company_is_tested_alone(sandbox: Sandbox) -> None:
    """It takes a name for itself while it works: two at once are one too many, one after the other are not."""
    locks = "(os.close(os.open('/tmp/lock', os.O_CREAT | os.O_EXCL)), {0}, os.unlink('/tmp/lock'))[1]"
    first = source(sandbox, locks.format(SUM), locks.format("(n - 1) * n * (2 * n - 1) // 6"), sizes=(3_000_000, 1_000))
    comparison, _ = Judge(Objective.TIME, min_effect=0.05, seed=0).confirm(first, Deadline.after(60), held_out_from=1)
    assert comparison.decision is Decision.IMPROVED, comparison.reason
    assert {each.mode for block in comparison.blocks for each in block.after} == {SampleMode.ALONE}
