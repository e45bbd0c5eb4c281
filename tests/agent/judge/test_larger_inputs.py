"""What larger inputs make of a gain that is hard to believe, where the two versions differ on them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from loops import UntimedJudge

from afterburner.agent.deadline import Deadline
from afterburner.agent.evidence.growth import measure_growth
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.scaled_calls import Climb, likely_bases, scale_calls
from afterburner.agent.types import Decision, Gain, Objective
from afterburner.sandbox import Measurement

from ..evidence.conftest import COMMON, make_bench  # noqa: F401, TID252 - the same workbenches, as a fixture
from ..inputs.conftest import project  # noqa: F401, TID252 - which need this one

if TYPE_CHECKING:
    from afterburner.agent.judge.larger_inputs import LargerLook
    from afterburner.agent.judge.measuring.workbench import Workbench

    from ..evidence.conftest import MakeBench  # noqa: TID252 - likewise

pytestmark = pytest.mark.slow

HUNDREDFOLD = Comparison(Decision.IMPROVED, "100x", Gain(100.0, 90.0, 110.0, confidence=0.99, pairs=20))
BITS = """\
def bits(n):
    return sum(n >> place & 1 for place in range(200))


if __name__ == "__main__":
    bits(2**30)
    bits(2**30 - 9)
    bits(2**30 - 5)
"""
MACHINE_BITS = BITS.replace("n >> place & 1 for", "(n & 0x7FFF_FFFF) >> place & 1 for")
MEAN = """\
def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


if __name__ == "__main__":
    mean([0.1, 0.1, 0.1, 0.1])
    mean([0.2, 0.2, 0.2, 0.2])
    mean([0.3, 0.3, 0.3, 0.3])
"""
EXACT_MEAN = "import math\n\n\n" + MEAN.replace(
    "    total = 0.0\n    for value in values:\n        total += value\n    return total / len(values)",
    "    return math.fsum(values) / len(values)",
)
CUT = COMMON.replace("    return result\n", "    return result[:150]\n", 1)


def look(bench: Workbench, rewrite: str) -> LargerLook:
    confirming = Confirming(bench, UntimedJudge(Objective.TIME, 0.05, 0), Deadline.after(120), lambda _: None)
    winner = Incumbent("winner", rewrite, Measurement(1.0, 1.0, 1, 1.0), ratio=1.0)
    assert HUNDREDFOLD.gain is not None
    return confirming.on_larger_inputs(HUNDREDFOLD, HUNDREDFOLD.gain, winner)


@pytest.mark.nightly
def test_who_differs_on_larger_inputs_that_break_what_held_in_every_real_call_is_right_on_a_condition(
    make_bench: MakeBench,  # noqa: F811 - the fixture above
) -> None:
    found = look(make_bench(BITS, "bits"), MACHINE_BITS)
    assert found.comparison.decision is Decision.CONDITIONAL, found.comparison.reason
    assert '--assume "abs(n) < 2**31"' in found.comparison.reason
    assert found.example is not None


@pytest.mark.nightly
def test_who_differs_on_larger_inputs_by_rounding_alone_is_told_so(
    make_bench: MakeBench,  # noqa: F811 - the fixture above
) -> None:
    found = look(make_bench(MEAN, "mean"), EXACT_MEAN)
    assert found.comparison.decision is Decision.WRONG, found.comparison.reason
    assert "only rounding differs" in found.comparison.reason
    assert "--float-tolerance" in found.comparison.reason


@pytest.mark.nightly
def test_who_differs_on_larger_inputs_for_no_plain_reason_is_wrong_and_one_of_them_is_shown(
    make_bench: MakeBench,  # noqa: F811 - the fixture above
) -> None:
    found = look(make_bench(COMMON, "common"), CUT)
    assert found.comparison.decision is Decision.WRONG, found.comparison.reason
    assert "times as large, it differs from the original" in found.comparison.reason
    assert found.example is not None


@pytest.mark.nightly
def test_growth_tells_of_a_difference_the_same_way(make_bench: MakeBench) -> None:  # noqa: F811 - the fixture above
    growth = measure_growth(make_bench(BITS, "bits"), MACHINE_BITS, Deadline.after(60))
    assert growth.disagreement.startswith("with n = ")
    assert 'state it with --assume "abs(n) < 2**31"' in growth.disagreement
    assert growth.condition.startswith("the same provided that")


def test_calls_of_other_sizes_keep_to_what_is_assumed_of_every_input(
    make_bench: MakeBench,  # noqa: F811 - the fixture above
) -> None:
    bench = make_bench(BITS, "bits")
    bench = replace(bench, workload=replace(bench.workload, assume=("abs(n) < 2**31",)))
    made, reasons = scale_calls(bench, likely_bases(bench.workload.calls)[:1], Climb(until_s=0.0), 20.0)
    assert made
    assert all(each.size < 2**31 for each in made)
    assert any("breaks what is assumed of every input" in reason for reason in reasons)
