"""What the meter measures, against programs whose use is known. Loose bounds: the machine may be busy."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conftest import Runner

    from afterburner.sandbox import Command, ContainerSpec, RawResult, Sandbox

HELD_KIB = 50 << 10


@pytest.fixture(scope="module")
def measure(
    sandbox: Sandbox, python_spec: ContainerSpec, python_command: Callable[[str], Command]
) -> Callable[..., RawResult]:
    def run(source: str, limits: Limits | None = None, cpu: int | None = None) -> RawResult:
        return sandbox.run_raw(python_spec, python_command(source), b"", limits or Limits(), cpu=cpu)

    return run


HOLD = """
    import time
    time.sleep(0.5)
    start = time.monotonic()
    kept = b"x" * (50 << 20)
    time.sleep(5)
    del kept
    print(start, time.monotonic(), flush=True)
    time.sleep(0.5)
"""


def area(samples: Sequence[tuple[float, int]]) -> float:
    return sum((later - time) * (size + next_size) / 2 for (time, size), (later, next_size) in pairwise(samples))


@pytest.mark.slow
def test_memory_held_for_a_while_gives_that_peak_and_that_integral(measure: Callable[..., RawResult]) -> None:
    result = measure(HOLD)
    start, end = map(float, result.stdout.split())
    before = max(size for time, size in result.memory_samples if time <= start)
    assert result.measurement.peak_memory_kib - before == pytest.approx(HELD_KIB, rel=0.1)
    held = area([sample for sample in result.memory_samples if start <= sample[0] <= end]) - before * (end - start)
    assert held == pytest.approx(HELD_KIB * (end - start), rel=0.15)


@pytest.mark.slow
def test_the_samples_are_a_curve_from_start_to_end(measure: Callable[..., RawResult]) -> None:
    result = measure(HOLD)
    times = [time for time, _ in result.memory_samples]
    sizes = [size for _, size in result.memory_samples]
    assert times == sorted(times)
    assert times[-1] - times[0] == pytest.approx(result.measurement.wall_time_s, rel=0.1)
    assert sizes[0] == 0
    assert max(sizes) <= result.measurement.peak_memory_kib
    assert max(sizes) > HELD_KIB > sizes[-1]
    assert area(result.memory_samples) == pytest.approx(result.measurement.memory_integral_kib_s, rel=0.01)


def test_a_long_series_stays_bounded_and_keeps_its_ends(measure: Callable[..., RawResult]) -> None:
    result = measure("import time; time.sleep(0.5)")
    assert 10 < len(result.memory_samples) <= 16_384
    assert result.measurement.samples >= len(result.memory_samples)
    assert 0 < result.measurement.sampling_interval_s < 0.1


def test_sleeping_costs_wall_time_and_no_cpu_time(measure: Callable[..., RawResult]) -> None:
    used = measure("import time; time.sleep(0.4)").measurement
    assert used.wall_time_s >= 0.4
    assert used.cpu_time_s < 0.3


def test_cpu_time_is_what_the_process_itself_sees(measure: Callable[..., RawResult]) -> None:
    result = measure("import time\nwhile time.process_time() < 0.4: pass\nprint(time.process_time())")
    own = float(result.stdout)
    assert own <= result.measurement.cpu_time_s + 0.01
    assert result.measurement.cpu_time_s == pytest.approx(own, abs=0.1)


def test_cpu_time_of_children_is_included(measure: Callable[..., RawResult]) -> None:
    source = """
        import os, time
        if os.fork() == 0:
            while time.process_time() < 0.3: pass
            os._exit(0)
        os.wait()
    """
    assert measure(source).measurement.cpu_time_s >= 0.3


def test_the_spawners_memory_is_not_the_programs(run: Runner) -> None:
    """`ru_maxrss` inherits what the spawning process held: it must not be this one."""
    ballast = bytearray(b"x" * (200 << 20))
    assert run("pass").measurement.peak_memory_kib < 60_000 < len(ballast)


def test_a_pinned_program_stays_on_its_core(measure: Callable[..., RawResult]) -> None:
    for cpu in sorted(os.sched_getaffinity(0))[:2]:
        result = measure("import os; print(os.sched_getaffinity(0))", cpu=cpu)
        assert result.stdout.decode().strip() == str({cpu})
    free = measure("import os; print(len(os.sched_getaffinity(0)))")
    assert int(free.stdout) == len(os.sched_getaffinity(0)), "one run's pin is not the next one's"
