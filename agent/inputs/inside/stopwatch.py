"""How much of its time a job has used."""

from __future__ import annotations

import time

MOST_WAITING = 3  # times as much wall time as CPU time: for code that waits, and on a machine that is busy


class Stopwatch:
    """Seconds since it was made, mostly of CPU time: on a busy machine a job thinks of as much as on an idle one."""

    def __init__(self) -> None:
        self._cpu_s, self._wall_s = time.process_time(), time.monotonic()

    def spent_s(self) -> float:
        """CPU seconds; where the wall time is more than `MOST_WAITING` times as much, that share of it."""
        return max(time.process_time() - self._cpu_s, (time.monotonic() - self._wall_s) / MOST_WAITING)

    def leave_out(self, part: Stopwatch) -> None:
        """Count nothing of what another one, made since, has counted until now."""
        self._cpu_s += time.process_time() - part._cpu_s
        self._wall_s += time.monotonic() - part._wall_s
