"""Samples and blocks made up by hand, for what decides on them."""

from __future__ import annotations

from afterburner.agent.judge.measuring.sampling import Block, Sample
from afterburner.sandbox import Measurement


def used(cpu_s: float, wall_s: float | None = None, peak_kib: int = 10_000) -> Measurement:
    return Measurement(wall_s or cpu_s, cpu_s, peak_kib, peak_kib * cpu_s)


def sample(work: Measurement, process: Measurement | None = None, **more: object) -> Sample:
    return Sample(work, process or work, (work,), **more)  # type: ignore[arg-type]  # by name, as the test needs them


def blocks_of(before: Sample, after: Sample, count: int = 16) -> list[Block]:
    return [Block.of((before, before), (after, after))] * count
