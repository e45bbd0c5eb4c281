"""Which rewrites are not beaten in both time and memory: what one objective alone does not show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.types import Decision
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import JudgedCandidate
    from afterburner.sandbox import Measurement

TOLERANCE = 0.05  # figures that differ by less were taken one after the other, and count as the same
ORIGINAL = "original"
_NOT_TRUSTED = frozenset({Decision.CONDITIONAL, Decision.WRONG, Decision.REFUSED})


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """A program that is right, by its id, and what it used on the selection inputs."""

    id: str
    measurement: Measurement
    on_front: bool

    @property
    def cpu_time_s(self) -> float:
        """Seconds."""
        return self.measurement.cpu_time_s

    @property
    def peak_memory_kib(self) -> int:
        """KiB."""
        return self.measurement.peak_memory_kib


def pareto_front(
    records: Sequence[JudgedCandidate], original: Measurement, tolerance: float = TOLERANCE
) -> tuple[ParetoPoint, ...]:
    """The original and all candidates that are right and were measured, each with whether nothing beats it.

    One beats another if it needs less CPU time or less peak memory, and not more of the other; differences within
    `tolerance` (relative) are none.

    Returns:
        The points by CPU time, the fastest first.
    """
    measured = [(ORIGINAL, original)] + [
        (record.id, record.measurement)
        for record in records
        if record.verdict is Verdict.ACCEPTED and record.decision not in _NOT_TRUSTED and record.measurement is not None
    ]
    points = [
        ParetoPoint(name, used, not any(_beats(other, used, tolerance) for _, other in measured))
        for name, used in measured
    ]
    return tuple(sorted(points, key=lambda point: (point.cpu_time_s, point.peak_memory_kib, point.id)))


def says_something(points: Sequence[ParetoPoint]) -> bool:
    """Whether there is a choice: more than one program on the front, one of them a candidate."""
    return sum(point.on_front for point in points) > 1


def _beats(one: Measurement, other: Measurement, tolerance: float) -> bool:
    pairs = ((one.cpu_time_s, other.cpu_time_s), (one.peak_memory_kib, other.peak_memory_kib))
    return all(a <= b * (1 + tolerance) for a, b in pairs) and any(a * (1 + tolerance) < b for a, b in pairs)
