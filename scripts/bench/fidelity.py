"""How true: memory and CPU time of programs that know their own, and what being watched does to a program."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scripts.bench.results import compared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scripts.bench.place import Place
    from scripts.bench.results import Row

MEMORY = "memory, against programs that know their own"
CPU_TIME = "CPU time, against a spin by the program's own clock"
WATCHED = "the program's own CPU time, watched and not watched"
_LONG_MS = 100
_GOAL_LONG, _GOAL_SHORT, _GOAL_CPU = 1.0, 5.0, 2.0  # percent
_RUNS = {15: 15, 100: 9, 1000: 3}  # by length, milliseconds
_PEAK_KIB = {15: 16 << 10, 100: 64 << 10, 1000: 64 << 10}
_WORK_ROUNDS = 60  # about 80 ms


def measure_memory(place: Place, *, quick: bool) -> Iterator[Row]:
    """Integral and peak of short and long programs."""
    for length_ms, runs in _lengths(quick=quick):
        areas, peaks = [], []
        with place.core() as cpu:
            for _ in range(runs):
                raw = place.run_c(cpu, "steps", str(length_ms), str(_PEAK_KIB[length_ms]))
                area, peak = map(float, raw.stdout.split())
                areas.append((raw.measurement.memory_integral_kib_s, area))
                peaks.append((float(raw.measurement.peak_memory_kib), peak))
        goal = _GOAL_LONG if length_ms >= _LONG_MS else _GOAL_SHORT
        yield compared(MEMORY, f"integral, {length_ms} ms", place.name, areas, unit="KiB·s", kind="error", goal=goal)
        yield compared(MEMORY, f"peak, {length_ms} ms", place.name, peaks, unit="KiB", kind="error", goal=goal)


def measure_cpu_time(place: Place, *, quick: bool) -> Iterator[Row]:
    """CPU time of short and long spins, and how much of it is not the program's own, there and in a bare process."""
    around: list[tuple[float, float]] = []
    for length_ms, runs in _lengths(quick=quick):
        pairs = []
        with place.core() as cpu:
            for _ in range(runs):
                raw = place.run_c(cpu, "spin", "for", str(length_ms))
                processes, _ = place.bare((str(place.bare.folder / "spin"), "for", str(length_ms)), {}, cpu)
                measured_ms, own_ms = raw.measurement.cpu_time_s * 1e3, _first_ms(raw.stdout.decode())
                pairs.append((measured_ms, own_ms))
                around.append((measured_ms - own_ms, processes[0].cpu_s * 1e3 - _first_ms(processes[0].line)))
        goal = _GOAL_CPU if length_ms >= _LONG_MS else None  # below, loading and ending the program weigh more
        yield compared(CPU_TIME, f"CPU time, {length_ms} ms", place.name, pairs, unit="ms", kind="error", goal=goal)
    yield compared(CPU_TIME, "what loading and ending it adds", place.name, around, unit="ms", kind="added")


def measure_perturbation(place: Place, *, rounds: int) -> Iterator[Row]:
    """The same work with and without a meter, on a core of its own and on the core that the program runs on."""
    yield _perturbation(place, "meter on another core", rounds, shared=False)
    if place.name == "bubblewrap":  # a daemon does not start containers on the caller's cores
        yield _perturbation(place, "meter on the same core", rounds, shared=True)


def _perturbation(place: Place, what: str, rounds: int, *, shared: bool) -> Row:
    pairs = []
    with place.core() as cpu:
        for i in range(rounds + 1):
            with _kept_to(cpu, wanted=shared):
                raw = place.run_c(cpu, "spin", "work", str(_WORK_ROUNDS))
            processes, _ = place.bare((str(place.bare.folder / "spin"), "work", str(_WORK_ROUNDS)), {}, cpu)
            if i > 0:  # the first one warms up
                pairs.append((_first_ms(raw.stdout.decode()), _first_ms(processes[0].line)))
    return compared(WATCHED, what, place.name, pairs, unit="ms", kind="change")


def _first_ms(printed: str) -> float:
    """What `spin` says that it used."""
    return int(printed.split(maxsplit=1)[0]) / 1e6


@contextmanager
def _kept_to(cpu: int, *, wanted: bool) -> Iterator[None]:
    """Keeps this thread, and the meter that it starts, to one core, as if the machine had no other."""
    before = os.sched_getaffinity(0)
    if wanted:
        os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _lengths(*, quick: bool) -> list[tuple[int, int]]:
    return [(length_ms, max(1, runs // 3) if quick else runs) for length_ms, runs in _RUNS.items()]
