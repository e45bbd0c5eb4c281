"""Samples of programs, and the blocks of them that a decision is made of; `sources` takes them."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from afterburner.sandbox import Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.sandbox import Program, Report


class SampleMode(StrEnum):
    """How a sample ran: by itself, call by call in turns with samples of other sides, or freely at once with them."""

    ALONE = "alone"
    IN_TURNS = "in turns"
    AT_ONCE = "at once"


ORIGINAL, REWRITE = 0, 1  # sides; further rewrites are 2, 3, …
_FLOOR = 1e-9  # a figure of zero is below the clock's resolution, not an infinite gain


class SampleFailedError(Exception):
    """A timed run was not accepted: the program behaves differently when it is measured."""

    def __init__(self, verdict: Verdict, detail: str, side: int = REWRITE) -> None:
        super().__init__(verdict, detail, side)
        self.verdict = verdict
        self.detail = detail
        self.side = side

    def __str__(self) -> str:
        """What went wrong."""
        return self.detail

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
    queued_s: float = 0.0  # of the wall time of the process: when it could have run and did not get a core
    tasks: int = 0  # threads and processes that it started, as far as the kernel tells
    mode: SampleMode = SampleMode.ALONE

    @property
    def is_alone(self) -> bool:
        """Whether no other sample ran at the same time."""
        return self.mode is SampleMode.ALONE

    @property
    def overhead_cpu_s(self) -> float:
        """CPU time outside the target: start-up, imports, making inputs, encoding outcomes."""
        return max(self.process.cpu_time_s - self.work.cpu_time_s, 0.0)


@dataclass(frozen=True, slots=True)
class Block:
    """Samples of both sides that were taken in turns or at once.

    `used` holds what each side used for every single input. Of samples that ran by themselves it is the smallest
    figure: noise only ever adds, and it hits one call in one process and another call in another. Where samples of both
    sides ran together, the noise met both alike, so it is their ratio that is steady: of calls made in turns the median
    of the ratios of all pairs, of samples that ran at once that of the means, of CPU time alone.
    """

    before: tuple[Sample, ...]
    after: tuple[Sample, ...]
    used: tuple[tuple[Measurement, ...], tuple[Measurement, ...]]

    @classmethod
    def of(cls, before: Sequence[Sample], after: Sequence[Sample]) -> Block:
        """A block of these samples."""
        return cls(tuple(before), tuple(after), _used(before, after))

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """All samples of several blocks as one."""
        return cls.of(
            [each for block in blocks for each in block.before], [each for block in blocks for each in block.after]
        )

    def alone(self) -> Block:
        """The same of the samples alone that ran by themselves."""
        before, after = ([each for each in side if each.is_alone] for side in (self.before, self.after))
        return Block.of(before, after)

    def together(self) -> Block:
        """The same of the samples alone that ran together with one of the other side; of all if none did."""
        before, after = ([each for each in side if not each.is_alone] for side in (self.before, self.after))
        return Block.of(before, after) if before else self

    def without_parts(self) -> Block:
        """The same without the figures of single inputs."""
        before, after = (tuple(replace(each, by_input=()) for each in side) for side in (self.before, self.after))
        return Block(before, after, ((add_up(self.used[0]),), (add_up(self.used[1]),)))

    def swapped(self) -> Block:
        """The same with the sides exchanged."""
        return Block(self.after, self.before, (self.used[1], self.used[0]))

    def log_ratio(self, figure: Callable[[Sequence[Measurement]], float]) -> float:
        """The logarithm of how many times smaller the figure of the rewrite is."""
        before, after = map(figure, self.used)
        return math.log(max(before, _FLOOR) / max(after, _FLOOR))


class BlockSource(Protocol):
    """Takes blocks of an original and one rewrite or several."""

    @property
    def rewrites(self) -> tuple[Program, ...]:
        """What is held against the original."""

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:
        """Take a block for each rewrite, with the same samples of the original.

        Args:
            repeats: a block has `per_repeat` times as many samples of each rewrite.
            seed: decides their order, and whatever else should be different in every block.
            alone: whether each side is sampled by itself, too, where samples run together.

        Raises:
            SampleFailedError: an outcome was not the expected one, or a limit was hit.
            SandboxInternalError: the sandbox failed; it says nothing of the programs.
        """

    @property
    def is_together(self) -> bool:
        """Whether samples of all sides run together, in turns or at once."""

    def apart(self) -> BlockSource:
        """The same with samples that all run alone, whatever `paced` is told."""

    @property
    def per_repeat(self) -> int:
        """How many samples of each rewrite one repeat has; of those that run together, as many more run alone."""

    @property
    def round_size(self) -> int:
        """How many samples of all sides one repeat has."""

    @property
    def most_repeats(self) -> int:
        """How many repeats can be asked for at once."""

    def paced(self, blocks: Sequence[Block], *, brief: bool = False) -> tuple[BlockSource, int]:
        """How to go on after one first round: the source, and how many repeats a block should have.

        Args:
            blocks: of that round, one for each rewrite; to be thrown away where what follows must not depend on them.
            brief: with as few samples in a block as can be, each alone; for sides that differ plainly.
        """

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


def block_order(sides: int, repeats: int, seed: int | str, *, ways: int = 2) -> tuple[int, ...]:
    """The sides of the samples of a block: all in an order that chance decides, then all in the reverse order.

    There and back, for a drift of the machine cancels in it; by chance, for whatever else depends on the place does not
    know it. Of two sides that is ABBA or BAAB, and a coin decides which.

    Args:
        sides: how many.
        repeats: how often that is done.
        seed: decides the order.
        ways: 1: only there, AB or BA.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret: it has to be the same again for the same seed
    order: list[int] = []
    for _ in range(repeats):
        there = rng.sample(range(sides), sides)
        order += there + there[::-1] if ways > 1 else there
    return tuple(order)


_Used = tuple[Measurement, ...]  # by input


def _used(before: Sequence[Sample], after: Sequence[Sample]) -> tuple[_Used, _Used]:
    """What each side used for each input, in these samples together."""
    alone = [[sample for sample in side if sample.is_alone] for side in (before, after)]
    together = [[sample for sample in side if not sample.is_alone] for side in (before, after)]
    if not any(together):
        return _least(alone[0]), _least(alone[1])
    if together[0][0].mode is SampleMode.IN_TURNS:
        inputs = [zip(*(sample.by_input for sample in side), strict=True) for side in together]
        paired = [_paired(*pair) for pair in zip(*inputs, strict=True)]
        return tuple(one for one, _ in paired), tuple(other for _, other in paired)
    one, other = (_mean_cpu(at_once, _least(own or at_once)) for own, at_once in zip(alone, together, strict=True))
    return one, other


def _least(samples: Sequence[Sample]) -> _Used:
    """Each figure of each input where it is smallest."""
    return tuple(map(_smallest, zip(*(sample.by_input for sample in samples), strict=True)))


def _mean_cpu(samples: Sequence[Sample], others: _Used) -> _Used:
    """The mean CPU time of each input, and all other figures as they are known."""
    same_input = zip(*(sample.by_input for sample in samples), strict=True)
    means = [statistics.fmean(each.cpu_time_s for each in measurements) for measurements in same_input]
    return tuple(replace(each, cpu_time_s=mean) for each, mean in zip(others, means, strict=True))


def _paired(before: Sequence[Measurement], after: Sequence[Measurement]) -> tuple[Measurement, Measurement]:
    """What one input took on both sides: the median ratio of all pairs, about the middle of their smallest figures.

    Were the sides exchanged, so would be the two results: the test relies on that.
    """
    cpu, wall = (_balanced(before, after, figure) for figure in (_cpu_s, _wall_s))
    one = replace(_smallest(before), cpu_time_s=cpu[0], wall_time_s=wall[0])
    return one, replace(_smallest(after), cpu_time_s=cpu[1], wall_time_s=wall[1])


def _balanced(
    before: Sequence[Measurement], after: Sequence[Measurement], figure: Callable[[Measurement], float]
) -> tuple[float, float]:
    pairs = [(max(figure(b), _FLOOR), max(figure(a), _FLOOR)) for b, a in zip(before, after, strict=True)]
    middle = math.sqrt(min(b for b, _ in pairs) * min(a for _, a in pairs))
    half = statistics.median(math.log(b / a) for b, a in pairs) / 2
    return middle * math.exp(half), middle * math.exp(-half)


def _cpu_s(used: Measurement) -> float:
    return used.cpu_time_s


def _wall_s(used: Measurement) -> float:
    return used.wall_time_s


def _smallest(measurements: Sequence[Measurement]) -> Measurement:
    return replace(
        measurements[0],
        wall_time_s=min(each.wall_time_s for each in measurements),
        cpu_time_s=min(each.cpu_time_s for each in measurements),
        peak_memory_kib=min(each.peak_memory_kib for each in measurements),
        memory_integral_kib_s=min(each.memory_integral_kib_s for each in measurements),
    )
