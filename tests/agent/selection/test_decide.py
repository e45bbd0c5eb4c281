"""What the judge says of programs that are faster, leaner, the same, wrong, or only seem better."""

from collections.abc import Sequence

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.selection.decide import Comparison, Judge
from afterburner.agent.selection.sampling import Sample, Sampler, timing_cpu
from afterburner.agent.types import Decision, Objective
from afterburner.sandbox import Limits, Measurement, Program, TestCase, Verdict
from afterburner.sandbox.sandbox import Sandbox

SLOW = "print(sum(i * i for i in range(1_500_000)))"
FAST = "n = 1_500_000 - 1\nprint(n * (n + 1) * (2 * n + 1) // 6)"
WRONG = "print(1124998874999875000)"
FAT = "rows = [str(i) for i in range(400_000)]\nprint(sum(map(len, rows)))"
LEAN = "print(sum(len(str(i)) for i in range(400_000)))"
SOON = 60.0


def judge(objective: Objective = Objective.TIME) -> Judge:
    return Judge(objective, min_effect=0.05, seed=0)


def sampler(sandbox: Sandbox, program: str) -> Sampler:
    [case] = sandbox.run(Program("python", program), [TestCase()]).cases
    expected = TestCase(expected_stdout=case.stdout)
    return Sampler(sandbox, (expected, expected), Limits(), timing_cpu())


def screened(sandbox: Sandbox, before: str, after: str, objective: Objective = Objective.TIME) -> Comparison:
    programs = Program("python", before), Program("python", after)
    return judge(objective).screen(sampler(sandbox, before), *programs, Deadline.after(SOON))


@pytest.mark.timed
def test_far_less_work_is_an_improvement(sandbox: Sandbox) -> None:
    comparison = screened(sandbox, SLOW, FAST)
    assert comparison.decision is Decision.IMPROVED, comparison.reason
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


@pytest.mark.timed
def test_memory_is_judged_by_the_peak(sandbox: Sandbox) -> None:
    assert screened(sandbox, FAT, LEAN, Objective.MEMORY).decision is Decision.IMPROVED
    assert screened(sandbox, LEAN, FAT, Objective.MEMORY).decision is Decision.NOT_BETTER


@pytest.mark.timed
def test_confirmation_tells_the_held_out_gain_by_itself(sandbox: Sandbox) -> None:
    comparison, held_out = judge().confirm(
        sampler(sandbox, SLOW),
        Program("python", SLOW),
        Program("python", FAST),
        Deadline.after(SOON),
        held_out_from=1,
    )
    assert comparison.decision is Decision.IMPROVED, comparison.reason
    assert comparison.gain is not None
    assert held_out is not None
    assert comparison.gain.confidence == 0.99
    assert held_out.low > 1


def test_nothing_is_decided_after_the_deadline(sandbox: Sandbox) -> None:
    programs = Program("python", SLOW), Program("python", FAST)
    late = Deadline.after(0)
    assert judge().screen(sampler(sandbox, SLOW), *programs, late).decision is Decision.REFUSED
    comparison, held_out = judge().confirm(sampler(sandbox, SLOW), *programs, late, held_out_from=1)
    assert (comparison.decision, held_out) == (Decision.REFUSED, None)


def used(cpu_s: float, wall_s: float | None = None, peak_kib: int = 10_000) -> Measurement:
    return Measurement(wall_s or cpu_s, cpu_s, peak_kib, peak_kib * cpu_s)


def samples(before: Measurement, after: Measurement, overhead_s: float = 0.0) -> Sequence[tuple[Sample, Sample]]:
    process = used(after.cpu_time_s + overhead_s)
    pair = Sample(before, before, (before, before)), Sample(after, process, (after, after))
    return [pair] * 15


def test_cpu_time_saved_at_the_cost_of_wall_time_is_no_gain() -> None:
    comparison, _ = judge().weigh(samples(used(1.0), used(0.5, wall_s=2.0)), 1)
    assert comparison.decision is Decision.NOT_BETTER
    assert "wall time rose" in comparison.reason


def test_work_that_moved_out_of_the_calls_is_not_saved() -> None:
    comparison, _ = judge().weigh(samples(used(1.0), used(0.1), overhead_s=0.9), 1)
    assert comparison.decision is Decision.REFUSED
    assert "outside" in comparison.reason


def test_memory_saved_by_far_more_time_is_no_gain() -> None:
    lean = used(5.0, peak_kib=1_000)
    comparison, _ = judge(Objective.MEMORY).weigh(samples(used(1.0), lean), 1)
    assert comparison.decision is Decision.NOT_BETTER
    assert "CPU time rose" in comparison.reason


def test_a_loss_on_held_out_inputs_is_no_offer() -> None:
    before = Sample(used(2.0), used(2.0), (used(1.9), used(0.1)))
    after = Sample(used(0.6), used(0.6), (used(0.1), used(0.5)))
    comparison, held_out = judge().weigh([(before, after)] * 15, 1)
    assert comparison.decision is Decision.NOT_BETTER
    assert "held-out" in comparison.reason
    assert held_out is not None
    assert held_out.ratio == pytest.approx(0.2)
