"""Anchors: known solutions that are timed again beside new code, to tell how far the machine is from what is stored."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Protocol

from afterburner.agent.types import Objective

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from afterburner.evals.problems import BenchmarkProblem, Figures, Reference

ANCHOR_QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the wall time, so that slow and fast code both have a say
DRIFT_LIMIT = 0.05  # of a figure; beyond it, stored and new figures cannot be compared


class MeasuredCode(Protocol):
    """One repeat of one code: `Measured` of running/measure.py."""

    @property
    def code_id(self) -> str:
        """Which code it was; see `code_id` of problems.py."""

    @property
    def figures(self) -> Figures | None:
        """What the run used; None: it did not pass."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How the machine's figures now compare to the stored ones: 1.1 is 10% more. NaN: not known."""

    time: float = math.nan
    memory: float = math.nan
    integral: float = math.nan

    def of(self, objective: Objective) -> float:
        """The ratio for the figure of an objective."""
        return {Objective.TIME: self.time, Objective.MEMORY: self.memory, Objective.INTEGRAL: self.integral}[objective]

    @property
    def beyond_limit(self) -> tuple[Objective, ...]:
        """The objectives whose figures drifted by more than `DRIFT_LIMIT`, up or down."""
        return tuple(
            each for each in Objective if math.isfinite(self.of(each)) and abs(self.of(each) - 1) > DRIFT_LIMIT
        )


def choose_anchors(problem: BenchmarkProblem) -> tuple[Reference, ...]:
    """The references at the 10, 30, 50, 70 and 90% quantiles of wall time, fastest first; the same ones every time.

    Only references with code and a positive wall time can be timed again. With fewer than five of them, all are
    anchors; with none, there are no anchors.
    """
    usable = {each.id: each for each in problem.references if each.code and _wall_time_s(each) > 0}
    ordered = sorted(usable.values(), key=lambda each: (_wall_time_s(each), each.id))
    if len(ordered) <= len(ANCHOR_QUANTILES):
        return tuple(ordered)
    return tuple(ordered[int(quantile * len(ordered))] for quantile in ANCHOR_QUANTILES)


def drift_of(anchors: Sequence[Reference], measured: Iterable[MeasuredCode]) -> Drift:
    """How far the machine has drifted: for each figure, the median over the anchors of now / stored.

    An anchor's figure now is the median of its repeats. An anchor that did not pass, or has no such figure stored,
    says nothing.

    Args:
        anchors: with the stored figures.
        measured: repeats of the anchors on the same cases; those of other codes are ignored.
    """
    now: dict[str, list[Figures]] = defaultdict(list)
    for each in measured:
        if each.figures is not None:
            now[each.code_id].append(each.figures)
    return Drift(
        *(_drift(anchors, now, objective) for objective in (Objective.TIME, Objective.MEMORY, Objective.INTEGRAL))
    )


def _drift(anchors: Sequence[Reference], now: dict[str, list[Figures]], objective: Objective) -> float:
    ratios = []
    for anchor in anchors:
        stored = anchor.figures.of(objective) if anchor.figures is not None else math.nan
        if anchor.id in now and stored > 0:
            ratios.append(median(each.of(objective) for each in now[anchor.id]) / stored)
    return median(ratios) if ratios else math.nan


def _wall_time_s(reference: Reference) -> float:
    return reference.figures.wall_time_s if reference.figures is not None else math.nan
