"""Gains that are none: work outside the calls, memory outside the calls, results that are remembered."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.measuring.sample_sources import DuelSource, FreshSource, Sampler
from afterburner.agent.judge.measuring.sampling import Block, SampleMode
from afterburner.agent.judge.measuring.sequential import Look
from afterburner.agent.judge.measuring.timing_core import TimingCore
from afterburner.agent.types import Decision, Gain, Objective
from afterburner.sandbox import CallCase, FunctionEntry, Limits, Program
from afterburner.sandbox.driver.call_blobs import dump_call

from .conftest import blocks_of, sample, used

if TYPE_CHECKING:
    from afterburner.agent.judge.measuring.sampling import Sample
    from afterburner.sandbox import Measurement
    from afterburner.sandbox.sandbox import Sandbox

PASSES = 20
SLOW = "sum(i * i for i in range(n))"
# What is remembered has SPOIL added to it, which is 0 or 1.
REMEMBERED = {
    "in a file": f"""
import os
def f(n):
    name = f"/tmp/known-{{n}}"
    if os.path.exists(name):
        with open(name) as file: return int(file.read()) + SPOIL
    result = {SLOW}
    with open(name, "w") as file: file.write(str(result))
    return result
""",
    "in another module": f"""
import math
def f(n):
    known = vars(math).setdefault("known", {{}})
    if n in known: return known[n] + SPOIL
    known[n] = {SLOW}
    return known[n]
""",
    "in the driver": f"""
import sys
def f(n):
    known = vars(sys._getframe(1).f_locals["self"]).setdefault("known", {{}})
    if n in known: return known[n] + SPOIL
    known[n] = {SLOW}
    return known[n]
""",
}


def decided(before: Sample, after: Sample, objective: Objective = Objective.TIME) -> tuple[Decision, str]:
    comparison = Judge(objective, min_effect=0.05, seed=0).weigh(
        blocks_of(before, after), Look(16, 0.003), is_last=True
    )
    assert comparison is not None
    return comparison.decision, comparison.reason


def programs(source: str, spoil: int = 0) -> tuple[Program, Program]:
    original, rewrite = (
        Program("python", text, FunctionEntry("target", "/afterburner/program/target.py", "f"))
        for text in (f"def f(n):\n    return {SLOW}\n", f"SPOIL = {spoil}\n{source}")
    )
    return original, rewrite


CALLS = (dump_call((20_000,), {}, {}), dump_call((30_000,), {}, {}))


@pytest.mark.nightly
@pytest.mark.parametrize("source", REMEMBERED.values(), ids=REMEMBERED.keys())
def test_results_that_outlive_a_pass_are_no_gain(sandbox: Sandbox, source: str) -> None:
    case = CallCase(CALLS, passes=PASSES, cold_caches=True)
    original, rewrite = programs(source)
    fresh = FreshSource(Sampler(sandbox, (case,), Limits(), TimingCore()), original, (rewrite,))
    blocks = [fresh.take(1, seed)[0] for seed in range(8)]
    before, after = blocks[0].before[0], blocks[0].after[0]
    assert before.work.cpu_time_s > 2 * after.work.cpu_time_s, "the rewrite does seem to be faster"
    comparison = Judge(Objective.TIME, 0.05, seed=0).weigh(blocks, Look(8, 0.004), is_last=True)
    assert comparison is not None
    assert comparison.decision is Decision.REFUSED, comparison.reason
    assert "remembered" in comparison.reason


@pytest.mark.parametrize("source", REMEMBERED.values(), ids=REMEMBERED.keys())
def test_they_are_of_no_use_where_every_sample_is_a_process_of_its_own(sandbox: Sandbox, source: str) -> None:
    """What is remembered is spoiled on the way: a sample that found it would give another result."""
    original, rewrite = programs(source, spoil=1)
    within_one = sandbox.run(rewrite, [CallCase((CALLS[0], CALLS[0]))]).cases[0].outcomes
    assert within_one[0].encoded != within_one[1].encoded, "in one process it is found"
    expected = tuple(outcome.encoded for outcome in sandbox.run(original, [CallCase(CALLS)]).cases[0].outcomes)
    pool = DuelSource(sandbox, original, (rewrite,), CallCase(CALLS, expected), Limits(), TimingCore())
    [comparison] = Judge(Objective.TIME, 0.05, seed=0).screen(pool, Deadline.after(60))
    assert comparison.decision is not Decision.WRONG, comparison.reason
    assert comparison.gain is not None, comparison.reason


def test_a_gain_that_is_there_from_the_first_time_on_counts() -> None:
    before = sample(used(0.1), used(0.2), first_pass_cpu_s=0.005)
    after = sample(used(0.01), used(0.11), first_pass_cpu_s=0.001)
    decision, reason = decided(before, after)
    assert decision is Decision.IMPROVED, reason


@pytest.mark.parametrize("mode", [SampleMode.IN_TURNS, SampleMode.AT_ONCE])
@pytest.mark.parametrize(
    ("alone", "decision"),
    [(1.3, Decision.IMPROVED), (1.1, Decision.IMPROVED), (1.055, Decision.REFUSED), (1.01, Decision.REFUSED)],
)
def test_a_gain_that_shows_only_beside_the_original_is_none(mode: SampleMode, alone: float, decision: Decision) -> None:
    """A rewrite may trouble whoever runs on the same core; by itself each has to show what it needs."""
    noise = Random(4)

    def block() -> Block:
        before = (sample(used(alone * noise.uniform(0.99, 1.01))), sample(used(1.3), mode=mode))
        after = (sample(used(1.0 * noise.uniform(0.99, 1.01))), sample(used(1.0), mode=mode))
        return Block.of(before, after)

    blocks = [block() for _ in range(16)]
    comparison = Judge(Objective.TIME, min_effect=0.05, seed=0).weigh(blocks, Look(16, 0.003), is_last=True)
    assert comparison is not None
    assert comparison.decision is decision, comparison.reason
    if decision is Decision.REFUSED:
        assert re.search(r"while both run together: 1\.30x, and [\d.]+x where each runs alone", comparison.reason)


def test_a_gain_that_samples_alone_rule_out_is_none() -> None:
    """A quarter of 8% shows, and it is certain that it is less than the 5% that are needed."""
    noise = Random(5)
    blocks = [
        Block.of(
            (sample(used(1.03 * noise.uniform(0.995, 1.005))), sample(used(1.08), mode=SampleMode.IN_TURNS)),
            (sample(used(1.0)), sample(used(1.0), mode=SampleMode.IN_TURNS)),
        )
        for _ in range(16)
    ]
    comparison = Judge(Objective.TIME, min_effect=0.05, seed=0).weigh(blocks, Look(16, 0.003), is_last=True)
    assert comparison is not None
    assert comparison.decision is Decision.REFUSED, comparison.reason
    assert "while both run together" in comparison.reason


def test_a_little_saved_and_much_remembered_is_no_gain() -> None:
    before = sample(used(0.1), used(0.2), first_pass_cpu_s=0.005)
    after = sample(used(0.01), used(0.11), first_pass_cpu_s=0.004)
    assert decided(before, after)[0] is Decision.REFUSED


def test_cpu_time_that_a_process_does_not_own_up_to_is_tampering() -> None:
    before, after = sample(used(0.1), used(0.2)), sample(used(0.01), used(0.2), untold_cpu_s=0.09)
    decision, reason = decided(before, after)
    assert decision is Decision.REFUSED
    assert "timing was tampered with" in reason


def test_work_at_import_is_named() -> None:
    before, after = sample(used(0.1), used(0.2)), sample(used(0.01), used(0.2), load_cpu_s=0.09)
    decision, reason = decided(before, after)
    assert decision is Decision.REFUSED
    assert "imported" in reason


@pytest.mark.parametrize("objective", [Objective.MEMORY, Objective.INTEGRAL])
def test_memory_is_not_saved_by_working_before_the_calls(objective: Objective) -> None:
    before = sample(used(0.5, peak_kib=90_000), used(0.6, peak_kib=90_000))
    after = sample(used(0.01, peak_kib=10_000), used(0.6, peak_kib=90_000))
    decision, reason = decided(before, after, objective)
    assert decision is Decision.REFUSED
    assert "outside" in reason


def test_memory_that_only_moved_is_not_saved() -> None:
    before = sample(used(0.1, peak_kib=90_000), used(0.2, peak_kib=90_000))
    after = sample(used(0.1, peak_kib=10_000), used(0.2, peak_kib=120_000))
    decision, reason = decided(before, after, Objective.MEMORY)
    assert decision is Decision.REFUSED
    assert "outside" in reason


def test_memory_that_is_saved_in_the_whole_process_counts() -> None:
    before = sample(used(0.1, peak_kib=90_000), used(0.2, peak_kib=90_000))
    after = sample(used(0.1, peak_kib=10_000), used(0.2, peak_kib=40_000))
    decision, reason = decided(before, after, Objective.MEMORY)
    assert decision is Decision.IMPROVED, reason


def test_a_gain_of_the_best_runs_alone_is_no_gain() -> None:
    """The smallest figure of every input counts, so one run in eight must not be enough to look good."""
    usual, lucky = sample(used(1.0)), sample(used(0.2))
    blocks = [Block.of([usual] * 8, [lucky, *[usual] * 7])] * 16
    comparison = Judge(Objective.TIME, min_effect=0.05, seed=0).weigh(blocks, Look(16, 0.003), is_last=True)
    assert comparison is not None
    assert comparison.decision is Decision.REFUSED
    assert "only in some of its runs: 5.00x in the best, 1.00x in the usual ones" in comparison.reason


@pytest.mark.parametrize(
    ("after", "held_out", "objection"),
    [
        (used(0.5, 1.3), None, "wall time rose to 1.30x"),
        (used(0.5, 0.9), Gain(0.8, 0.7, 0.9, 0.99, 16), "CPU time is 0.80x on held-out inputs"),
        (used(0.5, 0.9), Gain(1.2, 1.1, 1.3, 0.99, 16), None),
        (used(0.99, 1.0), None, None),
    ],
)
def test_what_forbids_an_offer_whatever_has_shown_its_gain(
    after: Measurement, held_out: Gain | None, objection: str | None
) -> None:
    """Instruction counts, for one, say nothing of the wall clock, nor of what is left behind."""
    judge = Judge(Objective.TIME, 0.05, seed=0)
    blocks = blocks_of(sample(used(1.0)), sample(after))
    said = judge.objection(blocks, held_out, lambda: blocks)
    assert said is None if objection is None else objection in str(said)
    leaving = blocks_of(sample(used(1.0)), sample(used(0.5), complaints=("files: x was left",)))
    assert "x was left" in str(judge.objection(leaving, None, lambda: leaving))
