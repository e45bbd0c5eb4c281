"""Anchors, and how far a machine has drifted from what is stored."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import pytest

from afterburner.agent import Problem
from afterburner.agent.types import Objective
from afterburner.evals.anchors import Drift, choose_anchors, drift_of
from afterburner.evals.problems import BenchmarkProblem, Figures, Reference
from afterburner.sandbox import TestCase


@dataclass(frozen=True)
class Repeat:
    """One run of one code."""

    code_id: str
    figures: Figures | None


def reference(number: int) -> Reference:
    """A code that took so many seconds."""
    return Reference(f"print({number})", Figures(float(number), float(number), 1000.0, 10.0 * number))


def problem(*references: Reference) -> BenchmarkProblem:
    """A problem with these references."""
    return BenchmarkProblem("own", "1", Problem("one", "Print 1.", (TestCase(b"", b"1"),)), references=references)


def test_anchors_are_at_the_quantiles() -> None:
    """Of 21 references, in any order, those that took 3, 7, 11, 15 and 19 s are the ones."""
    references = [reference(number) for number in range(1, 22)]
    random.Random(1).shuffle(references)
    assert [each.figures and each.figures.wall_time_s for each in choose_anchors(problem(*references))] == [
        3.0,
        7.0,
        11.0,
        15.0,
        19.0,
    ]


@pytest.mark.parametrize("count", [0, 1, 4, *range(5, 60)])
def test_there_are_five_anchors_or_all(count: int) -> None:
    """They are distinct, and what cannot be timed is none."""
    unusable = (
        Reference("", Figures(1.0, 1.0, 1.0, 1.0)),
        Reference("print(0)"),
        Reference("print(-1)", Figures(math.nan, 1.0, 1.0, 1.0)),
    )
    anchors = choose_anchors(problem(*unusable, *(reference(number) for number in range(1, count + 1))))
    assert len({each.id for each in anchors}) == len(anchors) == min(5, count)


def test_drift_is_the_median_over_anchors() -> None:
    """One anchor that was disturbed does not count, nor do other codes and runs that failed."""
    anchors = [reference(number) for number in (1, 2, 3)]
    measured = [Repeat("another", Figures(99.0, 99.0, 99.0, 99.0)), Repeat(anchors[0].id, None)]
    for anchor, factor in zip(anchors, (1.1, 7.0, 1.0), strict=True):
        for noise in (0.9, 1.0, 1.5):
            wall_time_s = anchor.figures.wall_time_s * factor * noise if anchor.figures else math.nan
            measured.append(Repeat(anchor.id, Figures(wall_time_s, 1.0, 1040.0, 5.0)))
    drift = drift_of(anchors, measured)
    assert drift.time == pytest.approx(1.1)
    assert drift.memory == pytest.approx(1.04)
    assert drift.integral == pytest.approx(0.25)
    assert drift.beyond_limit == (Objective.TIME, Objective.INTEGRAL)


def test_without_anchors_nothing_is_known() -> None:
    """What is not known is not beyond the limit."""
    drift = drift_of((), [])
    assert all(math.isnan(drift.of(each)) for each in Objective)
    assert drift.beyond_limit == ()
    assert Drift(0.94, 1.04, 1.0).beyond_limit == (Objective.TIME,)
