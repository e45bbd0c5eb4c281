"""Samples of programs, and the blocks of them that a decision is made of; `sources` takes them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from afterburner.sandbox import Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.sandbox import Program, Report

ORIGINAL, REWRITE = 0, 1  # sides; further rewrites are 2, 3, …
_FLOOR = 1e-9  # a figure of zero is below the clock's resolution, not an infinite gain


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
    """Samples of both sides that were taken side by side, as many of the one as of the other.

    `least` holds, for each side, the smallest figures of every single input: noise only ever adds, and it hits one call
    in one process and another call in another.
    """

    before: tuple[Sample, ...]
    after: tuple[Sample, ...]
    least: tuple[tuple[Measurement, ...], tuple[Measurement, ...]]

    @classmethod
    def of(cls, before: Sequence[Sample], after: Sequence[Sample]) -> Block:
        """A block of these samples."""
        return cls(tuple(before), tuple(after), (_least(before), _least(after)))

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """All samples of several blocks as one."""
        return cls.of(
            [each for block in blocks for each in block.before], [each for block in blocks for each in block.after]
        )

    def without_parts(self) -> Block:
        """The same without the figures of single inputs."""
        before, after = (tuple(replace(each, by_input=()) for each in side) for side in (self.before, self.after))
        return Block(before, after, ((add_up(self.least[0]),), (add_up(self.least[1]),)))

    def log_ratio(self, figure: Callable[[Sequence[Measurement]], float]) -> float:
        """The logarithm of how many times smaller the figure of the rewrite is."""
        before, after = map(figure, self.least)
        return math.log(max(before, _FLOOR) / max(after, _FLOOR))


class BlockSource(Protocol):
    """Takes blocks of an original and one rewrite or several."""

    @property
    def rewrites(self) -> tuple[Program, ...]:
        """What is held against the original."""

    def take(self, repeats: int, seed: int) -> tuple[Block, ...]:
        """Take a block for each rewrite, with the same samples of the original.

        Args:
            repeats: a block has twice as many samples of each side.
            seed: decides their order, and whatever else should be different in every block.

        Raises:
            SampleFailedError: an outcome was not the expected one, or a limit was hit.
            SandboxInternalError: the sandbox failed; it says nothing of the programs.
        """

    def repeats(self, sample_s: float) -> int:
        """How many repeats a block should have, where one sample takes so long (s of wall time)."""

    @property
    def most_repeats(self) -> int:
        """How many repeats can be asked for at once."""

    def only(self, numbers: Sequence[int]) -> BlockSource:
        """The same with some of the rewrites."""


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


def block_order(sides: int, repeats: int, seed: int | str) -> tuple[int, ...]:
    """The sides of the samples of a block: all in an order that chance decides, then all in the reverse order.

    There and back, for a drift of the machine cancels in it; by chance, for whatever else depends on the place does not
    know it. Of two sides that is ABBA or BAAB, and a coin decides which.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret: it has to be the same again for the same seed
    order: list[int] = []
    for _ in range(repeats):
        there = rng.sample(range(sides), sides)
        order += there + there[::-1]
    return tuple(order)


def _least(samples: Sequence[Sample]) -> tuple[Measurement, ...]:
    """Each figure of each input where it is smallest."""
    return tuple(_smallest(same_input) for same_input in zip(*(sample.by_input for sample in samples), strict=True))


def _smallest(measurements: Sequence[Measurement]) -> Measurement:
    return replace(
        measurements[0],
        wall_time_s=min(each.wall_time_s for each in measurements),
        cpu_time_s=min(each.cpu_time_s for each in measurements),
        peak_memory_kib=min(each.peak_memory_kib for each in measurements),
        memory_integral_kib_s=min(each.memory_integral_kib_s for each in measurements),
    )
