"""Measures programs against each other: blocks of interleaved samples, each a fresh process on one pinned CPU."""

from __future__ import annotations

import math
import os
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

from afterburner.agent.workloads.replay import HASH_SEEDS
from afterburner.sandbox import CallCase, Measurement, TestCase, Verdict
from afterburner.sandbox.duels import Duel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.sandbox import CaseReport, Limits, Program, Report
    from afterburner.sandbox.duels import DuelReport, DuelSample
    from afterburner.sandbox.sandbox import Sandbox

Case: TypeAlias = TestCase | CallCase

ORIGINAL, REWRITE = 0, 1
_FLOOR = 1e-9  # a figure of zero is below the clock's resolution, not an infinite gain
_DUEL_OUTPUT_BYTES = 48 * 1024 * 1024
_DUEL_S = 2.0  # about as long as the samples of one template take together: progress is told in between
_SHORT_S = 0.005  # samples that take less than this cost little beside their fork: a block gets more of them
_GRACE_S = 5.0


class SampleFailedError(Exception):
    """A timed run was not accepted: the program behaves differently when it is measured."""

    def __init__(self, verdict: Verdict, detail: str, side: int = REWRITE) -> None:
        super().__init__(detail)
        self.verdict = verdict
        self.detail = detail
        self.side = side

    @classmethod
    def of_report(cls, report: Report) -> SampleFailedError:
        """What went wrong in the case that gave the report its verdict."""
        failed = next(case for case in report.cases if case.verdict is report.verdict)
        return cls(failed.verdict, failed.detail)


@dataclass(frozen=True, slots=True)
class Sample:
    """One fresh process (per case). `work` is what the target itself used, `process` the processes as a whole.

    `by_input` is `work` by case or by call. `first_pass_cpu_s` is the part of `work` in which every call was made for
    the first time in its process; None if no call was made more often.
    """

    work: Measurement
    process: Measurement
    by_input: tuple[Measurement, ...]
    first_pass_cpu_s: float | None = None
    load_cpu_s: float = 0.0  # until the module was loaded
    untold_cpu_s: float = 0.0  # that the process used and its own account leaves out
    complaints: tuple[str, ...] = ()  # of the sandbox: what it did beside its work
    kept_bytes: int | None = None  # what the module has come to keep in memory; None if it was not looked at

    @property
    def overhead_cpu_s(self) -> float:
        """CPU time outside the target: start-up, imports, making inputs, encoding outcomes."""
        return max(self.process.cpu_time_s - self.work.cpu_time_s, 0.0)


@dataclass(frozen=True, slots=True)
class Block:
    """Samples of both sides that were taken side by side, as many of the one as of the other."""

    before: tuple[Sample, ...]
    after: tuple[Sample, ...]

    def without_parts(self) -> Block:
        """The same without the figures of single inputs."""
        before, after = (tuple(replace(each, by_input=()) for each in side) for side in (self.before, self.after))
        return Block(before, after)

    def log_ratio(self, figure: Callable[[Sample], float]) -> float:
        """The logarithm of how many times smaller the figure of the rewrite is.

        Each side counts with its smallest figure: noise only ever adds.
        """
        before, after = (min(figure(sample) for sample in side) for side in (self.before, self.after))
        return math.log(max(before, _FLOOR) / max(after, _FLOOR))


class BlockSource(Protocol):
    """Takes blocks of an original and a rewrite."""

    def take(self, blocks: int, seed: int) -> list[Block]:
        """Take so many blocks; the seed decides the order within each.

        Raises:
            SampleFailedError: an outcome was not the expected one, or a limit was hit.
            SandboxInternalError: the sandbox failed; it says nothing of the programs.
        """

    def blocks_at_a_time(self, sample_s: float) -> int:
        """How many blocks to ask for at once, where one sample takes so long (s of wall time)."""


def add_up(measurements: Sequence[Measurement]) -> Measurement:
    """Several processes as one figure each: times and integrals are summed, the peak is the largest."""
    first = measurements[0]
    return Measurement(
        wall_time_s=sum(m.wall_time_s for m in measurements),
        cpu_time_s=sum(m.cpu_time_s for m in measurements),
        peak_memory_kib=max(m.peak_memory_kib for m in measurements),
        memory_integral_kib_s=sum(m.memory_integral_kib_s for m in measurements),
        samples=sum(m.samples for m in measurements),
        sampling_interval_s=first.sampling_interval_s,
        tier=first.tier,
    )


def timing_cpu() -> int | None:
    """The CPU that timed payloads are pinned to: the last of ours, away from the first, which gets most interrupts."""
    cpus = sorted(os.sched_getaffinity(0))
    return cpus[-1] if len(cpus) > 1 else None


def block_orders(blocks: int, repeats: int, seed: int) -> list[tuple[int, ...]]:
    """The sides of the samples of each block: ABBA or BAAB, which a coin decides.

    ABBA, for a drift of the machine cancels in it; the coin, for whatever else depends on the place does not know it.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret: it has to be the same again for the same seed
    coins = [rng.randrange(2) for _ in range(blocks)]
    return [tuple(side ^ coin for side in (0, 1, 1, 0)) * repeats for coin in coins]


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
    rewrite: Program

    def take(self, blocks: int, seed: int) -> list[Block]:
        """See `BlockSource`."""
        return [self._block(order) for order in block_orders(blocks, 1, seed)]

    def blocks_at_a_time(self, sample_s: float) -> int:
        """See `BlockSource`."""
        return _fitting(sample_s, 4)

    def _block(self, order: Sequence[int]) -> Block:
        taken = [(side, self._sample(side)) for side in order]
        return _block_of(taken)

    def _sample(self, side: int) -> Sample:
        try:
            return self.sampler.sample((self.original, self.rewrite)[side])
        except SampleFailedError as error:
            raise SampleFailedError(error.verdict, error.detail, side) from error


@dataclass(frozen=True, slots=True)
class DuelSource:
    """Blocks of processes that are forked off one template: for calls of a function."""

    sandbox: Sandbox
    original: Program
    rewrite: Program
    case: CallCase  # the pool of calls, each of which a sample makes once
    limits: Limits  # of one sample
    cpu: int | None
    repeats: int = 1  # how often ABBA comes in a block

    def take(self, blocks: int, seed: int) -> list[Block]:
        """See `BlockSource`. The calls are made in another order, and under another hash seed, for every seed."""
        orders = block_orders(blocks, self.repeats, seed)
        places = list(range(len(self.case.calls)))
        random.Random(seed).shuffle(places)  # noqa: S311 - as above
        sides = tuple(side for order in orders for side in order)
        size = 4 * self.repeats
        watched = tuple(range(seed % blocks * size, (seed % blocks + 1) * size))  # one block of each template
        case = _reordered(self.case, places, seed)
        duel = Duel(self.rewrite.source, case, sides, self.limits.wall_time_s, watched)
        report = self.sandbox.duel(self.original, duel, self._limits(len(sides)), cpu=self.cpu)
        _check(report, sides)
        samples = [(each.side, _sample_of(each, places)) for each in report.samples]
        return [_block_of(samples[at : at + size]) for at in range(0, len(samples), size)]

    def blocks_at_a_time(self, sample_s: float) -> int:
        """See `BlockSource`."""
        expected = sum(map(len, self.case.expected_outcomes or ())) or 1
        size = 4 * self.repeats
        return min(_fitting(sample_s, size), max(1, _DUEL_OUTPUT_BYTES // (expected * size)))

    def _limits(self, samples: int) -> Limits:
        wall_s = samples * self.limits.wall_time_s + _GRACE_S
        return replace(self.limits, wall_time_s=wall_s, cpu_time_s=wall_s, output_bytes=_DUEL_OUTPUT_BYTES + (16 << 20))


def repeats_for(sample_s: float) -> int:
    """How often ABBA comes in a block whose samples take so long (s of CPU time of the calls)."""
    return 1 if sample_s >= _SHORT_S else 2


def _fitting(sample_s: float, samples_a_block: int) -> int:
    return max(1, min(8, int(_DUEL_S / max(sample_s * samples_a_block, 1e-3))))


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


def _block_of(samples: Sequence[tuple[int, Sample]]) -> Block:
    before, after = (tuple(sample for each, sample in samples if each == side) for side in (ORIGINAL, REWRITE))
    return Block(before, after)


def _first_pass_cpu_s(cases: Sequence[Case], report: Report) -> float | None:
    if not any(isinstance(case, CallCase) and case.passes > 1 for case in cases):
        return None
    return sum(case.first_pass_cpu_s or 0.0 for case in report.cases)


def _work_of(case: CaseReport) -> Measurement:
    return case.call_measurement or case.measurement
