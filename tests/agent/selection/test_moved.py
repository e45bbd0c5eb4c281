"""Gains that are none: work outside the calls, memory outside the calls, results that are remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.selection.decide import Judge
from afterburner.agent.selection.sampling import Sample, Sampler, timing_cpu
from afterburner.agent.types import Decision, Objective
from afterburner.sandbox import CallCase, FunctionEntry, Limits, Measurement, Program
from afterburner.sandbox.driver.ab_calls import dump_call

if TYPE_CHECKING:
    from afterburner.sandbox.sandbox import Sandbox

PASSES = 20
SLOW = "sum(i * i for i in range(n))"
REMEMBERED = {
    "in a file": f"""
import os
def f(n):
    name = f"/tmp/known-{{n}}"
    if not os.path.exists(name):
        with open(name, "w") as file: file.write(str({SLOW}))
    with open(name) as file: return int(file.read())
""",
    "in another module": f"""
import math
def f(n):
    known = vars(math).setdefault("known", {{}})
    if n not in known: known[n] = {SLOW}
    return known[n]
""",
    "in the driver": f"""
import sys
def f(n):
    known = vars(sys._getframe(1).f_locals["self"]).setdefault("known", {{}})
    if n not in known: known[n] = {SLOW}
    return known[n]
""",
}


def used(cpu_s: float, peak_kib: int = 10_000) -> Measurement:
    return Measurement(cpu_s, cpu_s, peak_kib, peak_kib * cpu_s)


def decided(before: Sample, after: Sample, objective: Objective = Objective.TIME) -> tuple[Decision, str]:
    comparison, _ = Judge(objective, min_effect=0.05, seed=0).weigh([(before, after)] * 15, 0)
    return comparison.decision, comparison.reason


def sample(work: Measurement, process: Measurement, first_pass_cpu_s: float | None = None) -> Sample:
    return Sample(work, process, (work,), first_pass_cpu_s)


@pytest.mark.parametrize("source", REMEMBERED.values(), ids=REMEMBERED.keys())
def test_results_that_outlive_a_pass_are_no_gain(sandbox: Sandbox, source: str) -> None:
    original, rewrite = (
        Program("python", text, FunctionEntry("target", "/afterburner/program/target.py", "f"))
        for text in (f"def f(n):\n    return {SLOW}\n", source)
    )
    case = CallCase((dump_call((20_000,), {}, {}), dump_call((30_000,), {}, {})), passes=PASSES, cold_caches=True)
    sampler = Sampler(sandbox, (case,), Limits(), timing_cpu())
    pairs = [sampler.pair(original, rewrite, swapped=False) for _ in range(3)]
    before, after = pairs[0]
    assert before.work.cpu_time_s > 2 * after.work.cpu_time_s, "the rewrite does seem to be faster"
    comparison, _ = Judge(Objective.TIME, min_effect=0.05, seed=0).weigh(pairs, 0)
    assert comparison.decision is Decision.REFUSED, comparison.reason
    assert "remembered" in comparison.reason


def test_a_gain_that_is_there_from_the_first_time_on_counts() -> None:
    before, after = sample(used(0.1), used(0.2), 0.005), sample(used(0.01), used(0.11), 0.001)
    decision, reason = decided(before, after)
    assert decision is Decision.IMPROVED, reason


def test_a_little_saved_and_much_remembered_is_no_gain() -> None:
    before, after = sample(used(0.1), used(0.2), 0.005), sample(used(0.01), used(0.11), 0.004)
    assert decided(before, after)[0] is Decision.REFUSED


@pytest.mark.parametrize("objective", [Objective.MEMORY, Objective.INTEGRAL])
def test_memory_is_not_saved_by_working_before_the_calls(objective: Objective) -> None:
    before = sample(used(0.5, 90_000), used(0.6, 90_000))
    after = sample(used(0.01, 10_000), used(0.6, 90_000))
    decision, reason = decided(before, after, objective)
    assert decision is Decision.REFUSED
    assert "outside" in reason


def test_memory_that_only_moved_is_not_saved() -> None:
    before, after = sample(used(0.1, 90_000), used(0.2, 90_000)), sample(used(0.1, 10_000), used(0.2, 120_000))
    decision, reason = decided(before, after, Objective.MEMORY)
    assert decision is Decision.REFUSED
    assert "outside" in reason


def test_memory_that_is_saved_in_the_whole_process_counts() -> None:
    before, after = sample(used(0.1, 90_000), used(0.2, 90_000)), sample(used(0.1, 10_000), used(0.2, 40_000))
    decision, reason = decided(before, after, Objective.MEMORY)
    assert decision is Decision.IMPROVED, reason
