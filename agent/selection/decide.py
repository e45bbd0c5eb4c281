"""Decides whether a candidate beats the incumbent, and whether the winner may be offered."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.selection.bootstrap import paired_gain
from afterburner.agent.selection.moved import find_moved_work
from afterburner.agent.selection.sampling import SampleFailedError, add_up, figure
from afterburner.agent.types import Decision, Gain, Objective
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.selection.sampling import Sample, Sampler
    from afterburner.sandbox import Measurement, Program, Verdict

SCREENING_PAIRS = 7
HOPELESS_AFTER_PAIRS = 3
CONFIRMATION_PAIRS = 15
SCREENING_CONFIDENCE = 0.95
CONFIRMATION_CONFIDENCE = 0.99  # of the announced interval
SLOWDOWN_FOR_MEMORY = 1.5  # memory may cost this much CPU time and no more
TOO_LATE_TO_SCREEN = "the time budget ended before it was measured; --max-seconds allows more"
TOO_LATE_TO_CONFIRM = "the time budget ended before the winner was confirmed; --max-seconds allows more"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A candidate against the incumbent: ratio, interval, decision, reason."""

    decision: Decision
    reason: str
    gain: Gain | None = None
    before: Measurement | None = None
    after: Measurement | None = None
    verdict: Verdict | None = None  # of the candidate's timed run, if that failed


@dataclass(frozen=True, slots=True)
class Judge:
    """One statistic for every objective: the bootstrap lower bound of the gain must clear the minimum effect."""

    objective: Objective
    min_effect: float
    seed: int
    confidence: float = SCREENING_CONFIDENCE

    def screen(self, sampler: Sampler, incumbent: Program, candidate: Program, deadline: Deadline) -> Comparison:
        """Compare a candidate with the incumbent on the selection inputs; stop early where it is plainly no better."""
        samples: list[tuple[Sample, Sample]] = []
        try:
            for number in range(SCREENING_PAIRS):
                if deadline.passed():
                    return Comparison(Decision.REFUSED, TOO_LATE_TO_SCREEN)
                samples.append(sampler.pair(incumbent, candidate, swapped=number % 2 == 1))
                if len(samples) == HOPELESS_AFTER_PAIRS and self._hopeless(samples):
                    break
        except SampleFailedError as error:
            return Comparison(Decision.WRONG, f"when measured: {error.detail}", verdict=error.verdict)
        return self._compare(samples)

    def confirm(  # noqa: PLR0913 - what is compared, on what, until when
        self,
        sampler: Sampler,
        original: Program,
        winner: Program,
        deadline: Deadline,
        *,
        held_out_from: int,
        on_pair: Callable[[int], None] = lambda _: None,
    ) -> tuple[Comparison, Gain | None]:
        """Test the winner against the original on fresh samples: a number of pairs that was fixed beforehand.

        Args:
            sampler: on the selection cases, followed by the held-out cases.
            original: the user's program.
            winner: the program that selection chose.
            deadline: when to give up.
            held_out_from: index of the first held-out case of the sampler.
            on_pair: is told how many pairs have been taken.

        Returns:
            The comparison over all cases together, and the gain on the held-out cases alone.
        """
        samples: list[tuple[Sample, Sample]] = []
        try:
            for number in range(CONFIRMATION_PAIRS):
                if deadline.passed():
                    return Comparison(Decision.REFUSED, TOO_LATE_TO_CONFIRM), None
                samples.append(sampler.pair(original, winner, swapped=number % 2 == 1))
                on_pair(len(samples))
        except SampleFailedError as error:
            return Comparison(Decision.WRONG, f"when confirmed: {error.detail}", verdict=error.verdict), None
        return replace(self, confidence=CONFIRMATION_CONFIDENCE).weigh(samples, held_out_from)

    def weigh(self, samples: Sequence[tuple[Sample, Sample]], held_out_from: int) -> tuple[Comparison, Gain | None]:
        """Decide on samples of selection and held-out cases together; a loss on the held-out ones is no offer."""
        comparison = self._compare(samples)
        held_out = self._gain([(self._part(b, held_out_from), self._part(a, held_out_from)) for b, a in samples])
        if comparison.decision is Decision.IMPROVED and held_out.high < 1:
            reason = f"better on the inputs it was selected on, but {format_ratio(held_out.ratio)} on held-out inputs"
            comparison = replace(comparison, decision=Decision.NOT_BETTER, reason=reason)
        return comparison, held_out

    def _hopeless(self, samples: Sequence[tuple[Sample, Sample]]) -> bool:
        return all(b.figure(self.objective) < a.figure(self.objective) * (1 + self.min_effect) for b, a in samples)

    def _compare(self, samples: Sequence[tuple[Sample, Sample]]) -> Comparison:
        gain = self._gain([(b.figure(self.objective), a.figure(self.objective)) for b, a in samples])
        decision, reason = self._decide(gain, samples)
        before, after = [b.work for b, _ in samples], [a.work for _, a in samples]
        return Comparison(decision, reason, gain, median_measurement(before), median_measurement(after))

    def _decide(self, gain: Gain, samples: Sequence[tuple[Sample, Sample]]) -> tuple[Decision, str]:
        needed = 1 + self.min_effect
        if gain.low <= needed:
            return Decision.NOT_BETTER, self._not_better(gain, needed)
        if self.objective is Objective.TIME:
            wall = self._gain([(b.work.wall_time_s, a.work.wall_time_s) for b, a in samples])
            if wall.high < 1:
                return Decision.NOT_BETTER, f"CPU time fell but wall time rose to {format_ratio(1 / wall.ratio)}"
        else:
            cpu = self._gain([(b.work.cpu_time_s, a.work.cpu_time_s) for b, a in samples])
            if cpu.ratio * SLOWDOWN_FOR_MEMORY < 1:
                return Decision.NOT_BETTER, f"memory fell but CPU time rose to {format_ratio(1 / cpu.ratio)}"
        moved = find_moved_work(self.objective, gain, samples, self.seed)
        if moved is not None:
            return Decision.REFUSED, moved
        return Decision.IMPROVED, _with_interval(gain)

    def _not_better(self, gain: Gain, needed: float) -> str:
        if gain.high < 1:
            return f"worse: {_with_interval(gain)}"
        return (
            f"no proven gain: {format_ratio(gain.ratio)}, lower bound {format_ratio(gain.low)}, "
            f"needed above {format_ratio(needed)}"
        )

    def _part(self, sample: Sample, start: int) -> float:
        return figure(add_up(sample.by_case[start:]), self.objective)

    def _gain(self, pairs: Sequence[tuple[float, float]]) -> Gain:
        return paired_gain(pairs, seed=self.seed, confidence=self.confidence)


def _with_interval(gain: Gain) -> str:
    return f"{format_ratio(gain.ratio)} ({format_ratio(gain.low)} to {format_ratio(gain.high)})"


def median_measurement(measurements: Sequence[Measurement]) -> Measurement:
    """The median of each figure by itself."""
    first = measurements[0]
    return type(first)(
        wall_time_s=statistics.median(m.wall_time_s for m in measurements),
        cpu_time_s=statistics.median(m.cpu_time_s for m in measurements),
        peak_memory_kib=round(statistics.median(m.peak_memory_kib for m in measurements)),
        memory_integral_kib_s=statistics.median(m.memory_integral_kib_s for m in measurements),
        samples=round(statistics.median(m.samples for m in measurements)),
        sampling_interval_s=first.sampling_interval_s,
        tier=first.tier,
    )
