"""How steady: the spread of repeated runs of one program."""

from __future__ import annotations

from statistics import median, quantiles
from typing import TYPE_CHECKING

from afterburner.sandbox import Task, TestCase
from scripts.bench.results import Row
from scripts.bench.throughput import python_subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scripts.bench.place import Place

NOISE = "spread of repeated runs of a Python program"
_SOURCE = "total = 0\nfor i in range(600_000):\n    total += i * i % 7\nprint(total > 0)\n"
_OF = 5  # the minimum of so many runs is what is compared elsewhere


def measure_noise(place: Place, *, runs: int) -> Iterator[Row]:
    """CPU time, wall time, and the minimum of five CPU times; a bare process's beside it."""
    with python_subject(place, "noise", _SOURCE) as subject:
        (report,) = place.sandbox.run_many([Task(subject.program, [TestCase()] * runs)])
        with place.core() as cpu:
            processes, _ = place.bare(subject.argv, subject.environment, cpu, runs)
    inside = [case.measurement for case in report.cases]
    cpu_times = [each.cpu_time_s for each in inside], [each.cpu_s for each in processes]
    wall_times = [each.wall_time_s for each in inside], [each.wall_s for each in processes]
    yield _row(place, "CPU time", *cpu_times)
    yield _row(place, "wall time", *wall_times)
    yield _row(place, f"minimum of {_OF} CPU times", *(_minima(times) for times in cpu_times))


def _row(place: Place, what: str, inside: Sequence[float], outside: Sequence[float]) -> Row:
    shown = f"{what}, {median(inside) * 1e3:.0f} ms"
    spread, reference = _spread(inside), _spread(outside)
    return Row(NOISE, shown, place.name, "%", spread, reference, spread, "spread", spread, spread, 1)


def _spread(values: Sequence[float]) -> float:
    """What lies between the 10th and the 90th percentile, in percent of the median."""
    tenths = quantiles(values, n=10, method="inclusive")
    return 100 * (tenths[-1] - tenths[0]) / median(values)


def _minima(values: Sequence[float]) -> list[float]:
    return [min(values[i : i + _OF]) for i in range(0, len(values), _OF)]
