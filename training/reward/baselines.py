"""Originals, measured once: what new code is held against, and how far the machine has drifted since."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from afterburner.agent.types import Objective
from afterburner.evals.problems import Figures, code_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from afterburner.evals.running.measure import Measured

_FIGURES = ("wall_time_s", "cpu_time_s", "peak_memory_kib", "memory_integral_kib_s")


@dataclass(slots=True)
class Baselines:
    """The smallest figures of each original, by problem and code; None: it fails. Any thread may ask."""

    _known: dict[tuple[str, str], Figures | None] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def missing(self, problem_id: str, codes: Iterable[str]) -> list[str]:
        """Those that nobody has measured yet."""
        with self._lock:
            return [code for code in codes if (problem_id, code_id(code)) not in self._known]

    def keep(self, problem_id: str, codes: Iterable[str], measured: Iterable[Measured]) -> None:
        """Keep what was measured of originals."""
        found = smallest(measured)
        with self._lock:
            self._known |= {(problem_id, code_id(code)): found.get(code_id(code)) for code in codes}

    def of(self, problem_id: str, code: str) -> Figures | None:
        """The figures of an original; None: it fails."""
        with self._lock:
            return self._known[problem_id, code_id(code)]

    def drift(self, problem_id: str, codes: Iterable[str], now: Mapping[str, Figures]) -> Mapping[Objective, float]:
        """Now / then of the originals, the median for each figure; 1 where none of them passes."""
        pairs = [
            (stored, now[code_id(code)])
            for code in codes
            if (stored := self.of(problem_id, code)) is not None and code_id(code) in now
        ]
        return {
            each: median(new.of(each) / max(old.of(each), 1e-12) for old, new in pairs) if pairs else 1.0
            for each in Objective
        }


def smallest(measured: Iterable[Measured]) -> dict[str, Figures]:
    """The smallest of each figure over the repeats, of codes that pass each of them, by the code's id."""
    found: dict[str, list[Figures]] = {}
    failed = set()
    for each in measured:
        if each.figures is None:
            failed.add(each.code_id)
        else:
            found.setdefault(each.code_id, []).append(each.figures)
    return {
        code: Figures(*(min(getattr(each, name) for each in figures) for name in _FIGURES))
        for code, figures in found.items()
        if code not in failed
    }
