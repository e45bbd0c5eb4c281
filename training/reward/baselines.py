"""Originals, measured when they are first seen: what new code is held against, and what tells a drift."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from afterburner.agent.types import Objective
from afterburner.evals.problems import code_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from afterburner.evals.problems import Figures

_DRIFTING = (Objective.TIME, Objective.INTEGRAL)  # memory does not depend on how fast the machine is


@dataclass(slots=True)
class Baselines:
    """The figures of each original, by problem and code; None: it fails. Any thread may ask."""

    _known: dict[tuple[str, str], Figures | None] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def missing(self, problem_id: str, codes: Iterable[str]) -> list[str]:
        """Those that nobody has measured yet."""
        with self._lock:
            return [code for code in codes if (problem_id, code_id(code)) not in self._known]

    def keep(self, problem_id: str, code: str, figures: Figures | None) -> None:
        """Keep what was measured of an original."""
        with self._lock:
            self._known[problem_id, code_id(code)] = figures

    def of(self, problem_id: str, code: str) -> Figures | None:
        """The figures of an original; None: it fails."""
        with self._lock:
            return self._known[problem_id, code_id(code)]

    def drift(self, problem_id: str, codes: Iterable[str], now: Mapping[str, Figures]) -> Mapping[Objective, float]:
        """Now / then of the originals, the median over them; 1 where none of them passes, and for memory.

        Args:
            problem_id: of the problem.
            codes: the originals of a series.
            now: what they measure in it, by the code's id.
        """
        pairs = [
            (stored, now[code_id(code)])
            for code in codes
            if (stored := self.of(problem_id, code)) is not None and code_id(code) in now
        ]
        return {each: _ratio(pairs, each) if each in _DRIFTING else 1.0 for each in Objective}


def _ratio(pairs: Iterable[tuple[Figures, Figures]], objective: Objective) -> float:
    """Now / then, of the originals whose figures are above the clock's grain."""
    both = [(old.of(objective), new.of(objective)) for old, new in pairs]
    return median([new / old for old, new in both if old > 0 and new > 0] or [1.0])
