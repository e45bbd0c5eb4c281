"""What the meter's memory samples say about some windows of time: the peak, and the area under the curve."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from afterburner.sandbox.types import Measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox.types import RawResult


def measure_windows(windows_ns: Sequence[tuple[int, int]], cpu_ns: int, raw: RawResult) -> Measurement:
    """The measurement of the windows alone: times as given, memory from the samples inside them.

    Memory at the edges of a window is interpolated between the samples around it; the integral is the trapezoids'.

    Args:
        windows_ns: start and end on CLOCK_MONOTONIC, in order, not overlapping.
        cpu_ns: the CPU time of all of them together.
        raw: what the meter says of the process.
    """
    times = [at for at, _ in raw.memory_samples]
    sizes = [size for _, size in raw.memory_samples]
    peak, integral, samples = 0.0, 0.0, 0
    for start_ns, end_ns in windows_ns:
        if not times:
            break
        start, end = start_ns / 1e9, end_ns / 1e9
        first, last = bisect_right(times, start), bisect_left(times, end)
        points = [
            (start, _at(times, sizes, start)),
            *zip(times[first:last], sizes[first:last], strict=True),
            (end, _at(times, sizes, end)),
        ]
        peak = max(peak, *(size for _, size in points))
        integral += sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
        samples += max(0, last - first)
    return Measurement(
        wall_time_s=sum(end - start for start, end in windows_ns) / 1e9,
        cpu_time_s=cpu_ns / 1e9,
        peak_memory_kib=round(peak),
        memory_integral_kib_s=integral,
        samples=samples,
        sampling_interval_s=raw.measurement.sampling_interval_s,
        tier=raw.measurement.tier,
    )


def _at(times: Sequence[float], sizes: Sequence[int], moment: float) -> float:
    """The size at a moment, on the straight line between the samples around it."""
    after = bisect_left(times, moment)
    if after == 0:
        return sizes[0]
    if after == len(times):
        return sizes[-1]
    before = after - 1
    span = times[after] - times[before]
    share = (moment - times[before]) / span if span else 1.0
    return sizes[before] + share * (sizes[after] - sizes[before])
