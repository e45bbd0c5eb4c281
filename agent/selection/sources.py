"""Where blocks of samples come from: fresh processes, or forks of one template."""

from __future__ import annotations

import hashlib
import os
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from afterburner.agent.selection.sampling import (
    ORIGINAL,
    Block,
    Sample,
    SampleFailedError,
    add_up,
    block_order,
)
from afterburner.agent.workloads.replay import HASH_SEEDS
from afterburner.sandbox import CallCase, Measurement, TestCase, Verdict
from afterburner.sandbox.duels import Duel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox import CaseReport, Limits, Program, Report
    from afterburner.sandbox.duels import DuelReport, DuelSample
    from afterburner.sandbox.sandbox import Sandbox

Case: TypeAlias = TestCase | CallCase

_DUEL_OUTPUT_BYTES = 48 * 1024 * 1024
_BLOCK_S = 0.4  # a block of short samples gets so many of them: the smallest of many is far steadier than that of two
_MOST_REPEATS = 16
_GRACE_S = 5.0


def timing_cpu() -> int | None:
    """The CPU that timed payloads are pinned to: the last of ours, away from the first, which gets most interrupts."""
    cpus = sorted(os.sched_getaffinity(0))
    return cpus[-1] if len(cpus) > 1 else None


@dataclass(frozen=True, slots=True)
class Sampler:
    """Takes samples of programs on one set of cases, one process at a time."""

    sandbox: Sandbox
    cases: tuple[Case, ...]
    limits: Limits
    cpu: int | None

    def sample(self, program: Program) -> Sample:
        """Run every case once in a fresh process.

        Raises:
            SampleFailedError: an outcome was not the expected one, or a limit was hit.
            SandboxInternalError: the sandbox failed; it says nothing of the program.
        """
        report = self.sandbox.run(program, self.cases, self.limits, cpu=self.cpu)
        if report.verdict is not Verdict.ACCEPTED:
            raise SampleFailedError.of_report(report)
        by_case = tuple(_work_of(case) for case in report.cases)
        return Sample(add_up(by_case), report.measurement, by_case, _first_pass_cpu_s(self.cases, report))


@dataclass(frozen=True, slots=True)
class FreshSource:
    """Blocks of processes that are started from nothing: for whole programs, and for memory."""

    sampler: Sampler
    original: Program
    rewrites: tuple[Program, ...]

    def take(self, repeats: int, seed: int) -> tuple[Block, ...]:
        """See `BlockSource`."""
        order = block_order(1 + len(self.rewrites), repeats, _salted(seed, self.rewrites))
        return _blocks_of([(side, self._sample(side)) for side in order])

    def repeats(self, sample_s: float) -> int:
        """See `BlockSource`."""
        return _repeats(sample_s, 2 * (1 + len(self.rewrites)))

    @property
    def most_repeats(self) -> int:
        """See `BlockSource`."""
        return _MOST_REPEATS

    def only(self, numbers: Sequence[int]) -> FreshSource:
        """See `BlockSource`."""
        return replace(self, rewrites=tuple(self.rewrites[number] for number in numbers))

    def _sample(self, side: int) -> Sample:
        try:
            return self.sampler.sample((self.original, *self.rewrites)[side])
        except SampleFailedError as error:
            raise SampleFailedError(error.verdict, error.detail, side) from error


@dataclass(frozen=True, slots=True)
class DuelSource:
    """Blocks of processes that are forked off one template, each block off another: for calls of a function.

    Forks share the template's hash seed and its place in memory, and code may be luckier in one place than in another.
    """

    sandbox: Sandbox
    original: Program
    rewrites: tuple[Program, ...]
    case: CallCase  # the pool of calls, each of which a sample makes once
    limits: Limits  # of one sample
    cpu: int | None

    def take(self, repeats: int, seed: int) -> tuple[Block, ...]:
        """See `BlockSource`. The calls are made in another order, and under another hash seed, for every seed."""
        sides = block_order(1 + len(self.rewrites), repeats, _salted(seed, self.rewrites))
        places = list(range(len(self.case.calls)))
        random.Random(seed).shuffle(places)  # noqa: S311 - no secret, as above
        case = _reordered(self.case, places, seed)
        rivals = tuple(rewrite.source for rewrite in self.rewrites)
        duel = Duel(rivals, case, sides, self.limits.wall_time_s, self._watched(repeats, seed))
        report = self.sandbox.duel(self.original, duel, self._limits(len(sides)), cpu=self.cpu)
        _check(report, sides)
        return _blocks_of([(each.side, _sample_of(each, places)) for each in report.samples])

    def repeats(self, sample_s: float) -> int:
        """See `BlockSource`."""
        return min(_repeats(sample_s, self._round), self.most_repeats)

    @property
    def most_repeats(self) -> int:
        """See `BlockSource`. Outcomes come out of the sandbox, so large ones allow few samples at once."""
        return max(1, min(_MOST_REPEATS, _DUEL_OUTPUT_BYTES // max(self._expected_bytes * self._round, 1)))

    def only(self, numbers: Sequence[int]) -> DuelSource:
        """See `BlockSource`."""
        return replace(self, rewrites=tuple(self.rewrites[number] for number in numbers))

    @property
    def _round(self) -> int:
        """Samples of one repeat: there and back."""
        return 2 * (1 + len(self.rewrites))

    @property
    def _expected_bytes(self) -> int:
        return sum(map(len, self.case.expected_outcomes or ()))

    def _watched(self, rounds: int, seed: int) -> tuple[int, ...]:
        """The samples of one round, by chance: to look at what was left behind takes longer than a short call."""
        first = random.Random(f"watched {seed}").randrange(rounds) * self._round  # noqa: S311 - likewise
        return tuple(range(first, first + self._round))

    def _limits(self, samples: int) -> Limits:
        wall_s = samples * self.limits.wall_time_s + _GRACE_S
        output_bytes = max(_DUEL_OUTPUT_BYTES, 2 * samples * self._expected_bytes) + (16 << 20)
        return replace(self.limits, wall_time_s=wall_s, cpu_time_s=wall_s, output_bytes=output_bytes)


def _repeats(sample_s: float, samples_a_round: int) -> int:
    return max(1, min(_MOST_REPEATS, int(_BLOCK_S / (max(sample_s, 1e-3) * samples_a_round))))


def _salted(seed: int, rewrites: Sequence[Program]) -> str:
    """A seed that is another one for other rewrites."""
    texts = "\0".join(rewrite.source for rewrite in rewrites)
    return f"{seed} {hashlib.sha256(texts.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _reordered(case: CallCase, places: Sequence[int], seed: int) -> CallCase:
    expected = case.expected_outcomes
    return replace(
        case,
        calls=tuple(case.calls[place] for place in places),
        expected_outcomes=None if expected is None else tuple(expected[place] for place in places),
        hash_seed=HASH_SEEDS[seed % len(HASH_SEEDS)],
    )


def _check(report: DuelReport, sides: Sequence[int]) -> None:
    for sample in report.samples:
        if sample.calls is None:
            raise SampleFailedError(sample.verdict, sample.detail, sample.side)
    if report.broken_off is not None:
        verdict = report.verdict if report.verdict is not Verdict.ACCEPTED else Verdict.RUNTIME_ERROR
        side = sides[min(len(report.samples), len(sides) - 1)]
        raise SampleFailedError(verdict, report.broken_off, side)


def _sample_of(taken: DuelSample, places: Sequence[int]) -> Sample:
    assert taken.calls is not None  # noqa: S101 - narrows the type; `_check` has looked
    process = replace(taken.calls, wall_time_s=taken.process_wall_s, cpu_time_s=taken.process_cpu_s)
    by_call: list[Measurement] = [taken.calls] * len(places)
    for place, outcome in zip(places, taken.outcomes, strict=True):
        by_call[place] = replace(taken.calls, wall_time_s=outcome.wall_time_s, cpu_time_s=outcome.cpu_time_s)
    return Sample(
        taken.calls,
        process,
        tuple(by_call),
        load_cpu_s=taken.load_cpu_s,
        untold_cpu_s=max(taken.process_cpu_s - taken.told_cpu_s, 0.0),
        complaints=taken.complaints,
        kept_bytes=taken.kept_bytes,
    )


def _blocks_of(samples: Sequence[tuple[int, Sample]]) -> tuple[Block, ...]:
    """A block for each rewrite."""
    by_side: dict[int, list[Sample]] = {}
    for side, sample in samples:
        by_side.setdefault(side, []).append(sample)
    return tuple(Block.of(by_side[ORIGINAL], by_side[side]) for side in sorted(by_side) if side != ORIGINAL)


def _first_pass_cpu_s(cases: Sequence[Case], report: Report) -> float | None:
    if not any(isinstance(case, CallCase) and case.passes > 1 for case in cases):
        return None
    return sum(case.first_pass_cpu_s or 0.0 for case in report.cases)


def _work_of(case: CaseReport) -> Measurement:
    return case.call_measurement or case.measurement
