"""Samples and blocks made up by hand, for what decides on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from afterburner.agent.deadline import BudgetClock
from afterburner.agent.judge.measuring.sampling import Block, Sample
from afterburner.sandbox import Measurement, Program

if TYPE_CHECKING:
    from collections.abc import Sequence


class JumpingClock(BudgetClock):
    """A clock that a test can set forward."""

    ahead_s = 0.0

    def now_s(self) -> float:
        return super().now_s() + self.ahead_s


def used(cpu_s: float, wall_s: float | None = None, peak_kib: int = 10_000) -> Measurement:
    return Measurement(wall_s or cpu_s, cpu_s, peak_kib, peak_kib * cpu_s)


def sample(work: Measurement, process: Measurement | None = None, **more: object) -> Sample:
    return Sample(work, process or work, (work,), **more)  # type: ignore[arg-type]  # by name, as the test needs them


def blocks_of(before: Sample, after: Sample, count: int = 16) -> list[Block]:
    return [Block.of((before, before), (after, after))] * count


class Unpaced:
    """What all made-up sources of blocks have in common: programs that run alone, two samples a repeat."""

    @property
    def is_together(self) -> bool:
        return False

    def apart(self) -> Self:
        return self

    def paced(self, blocks: Sequence[Block], *, brief: bool = False) -> tuple[Self, int]:  # noqa: ARG002 - the interface
        return self, 1

    @property
    def per_repeat(self) -> int:
        return 2

    @property
    def most_repeats(self) -> int:
        return 16


class Ready(Unpaced):
    """Blocks that are there already."""

    rewrites = (Program("python", ""),)

    def __init__(self, block: Block) -> None:
        self._block = block

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:  # noqa: ARG002 - the interface
        return (self._block,)

    @property
    def round_size(self) -> int:
        return 4

    def only(self, numbers: Sequence[int]) -> Ready:  # noqa: ARG002 - likewise
        return self
