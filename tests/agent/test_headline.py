"""The headline of an offer: the gain of the workload's time as a whole, and how it differs with the size of inputs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from afterburner.agent.evidence.gather import Evidence
from afterburner.agent.evidence.growth import Growth, GrowthPoint
from afterburner.agent.judge.confirmation import Confirmation
from afterburner.agent.judge.input_gains import RealCalls
from afterburner.agent.judge.measuring.sampling import Block, Sample
from afterburner.agent.loop.results import RunResult, gain_where_largest, headline
from afterburner.agent.types import Decision, Gain, GainRange, HeldOut, Machine, Objective, Target
from afterburner.sandbox import Measurement, Verdict

USED, NONE_HELD_OUT = Measurement(1.0, 1.0, 1000, 1000.0), HeldOut(0, passed=True, gain=None)
IMPROVED = "CPU time improved 9.90x"
GAIN = Gain(9.9, 9.0, 11.0, 0.98, 8)


@pytest.mark.parametrize(
    ("by_size", "told"),
    [
        (GainRange(1.9, 38.0), f"{IMPROVED} on the workload as a whole (1.90x on small inputs to 38.0x on large ones)"),
        (
            GainRange(0.011, 81.6),
            f"{IMPROVED} on the workload as a whole (90.9x slower on small inputs, 81.6x faster on large ones)",
        ),
        (GainRange(9.8, 10.0), IMPROVED),
        (None, IMPROVED),
    ],
)  # fmt: skip
def test_the_gain_is_told_with_its_range_where_it_depends_on_the_size(by_size: GainRange | None, told: str) -> None:
    found = Confirmation(
        "1.1", Decision.IMPROVED, Verdict.ACCEPTED, "", GAIN, USED, USED, NONE_HELD_OUT, by_size=by_size
    )
    assert headline(Objective.TIME, found) == told


def test_the_real_calls_are_in_front_where_made_inputs_outweigh_them() -> None:
    whole = Confirmation(
        "1.1", Decision.IMPROVED, Verdict.ACCEPTED, "", GAIN, USED, USED, NONE_HELD_OUT, by_size=GainRange(1.9, 38.0)
    )
    real = RealCalls(7, replace(GAIN, ratio=1.71), "CPU time", replace(USED, cpu_time_s=0.2), USED)
    announced = replace(whole, real=real)
    assert headline(Objective.TIME, announced) == "CPU time improved 1.71x on the 7 real calls (9.90x with made inputs)"
    assert announced.announced().gain == real.gain
    assert announced.announced().original.cpu_time_s == real.before.cpu_time_s
    unshown = replace(whole, on_real_calls="on the 7 real calls alone, without made inputs, it gains 1.01x")
    assert headline(Objective.TIME, unshown) == f"{IMPROVED} with made inputs; {unshown.on_real_calls}"


def test_wall_time_is_what_improved_where_the_original_mostly_waits() -> None:
    slept, woke = (
        Sample(used, used, (used,)) for used in (Measurement(2.0, 0.1, 9, 9.0), Measurement(0.2, 0.1, 9, 9.0))
    )
    found = Confirmation("1.1", Decision.IMPROVED, Verdict.ACCEPTED, "", GAIN, USED, USED, NONE_HELD_OUT)
    found.blocks.append(Block.of([slept], [woke]).without_parts())
    assert headline(Objective.TIME, found) == "wall time improved 9.90x"


def test_a_far_larger_gain_on_larger_inputs_than_the_workload_has_is_told_with_the_growth_alone() -> None:
    result = RunResult(
        run_id="x",
        target=Target("/a.py", "", "f", "a", "/", "/"),
        objective=Objective.TIME,
        model="model",
        improved=True,
        summary="CPU time improved 1.94x",
        gain=replace(GAIN, ratio=1.94),
        original=USED,
        best=USED,
        held_out=NONE_HELD_OUT,
        candidates=(),
        patch="",
        best_source="",
        readability=None,
        workload_origins=(),
        skipped=(),
        machine=Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits"),
        elapsed_s=1.0,
    )
    points = (GrowthPoint(100, 0.001, 0.0005), GrowthPoint(4000, 0.38, 0.01))
    growing, flat = (replace(result, evidence=Evidence(Growth("len(rows)", each))) for each in (points, points[:1]))
    assert gain_where_largest(growing) == (
        "38.0x where len(rows) is 4,000: one made call, the quickest of a few runs, not tested"
    )
    assert gain_where_largest(flat) == gain_where_largest(result) == ""
