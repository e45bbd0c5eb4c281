"""Where a curve levels off: the iteration after which there is little left to gain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.evals.metrics.percentile import beyond

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import Objective
    from afterburner.evals.evaluation import Evaluation

GAP = 0.05


def levels_off_at(curve: Sequence[float], gap: float = GAP) -> int:
    """The first iteration from which on the curve stays within a share of its final value.

    The rebuttal's rule is "less than 5% efficiency gap with the final iteration". We read the 5% as relative to the
    final value, and ask that the curve does not leave that band again.

    Args:
        curve: one value for each iteration, from 0 on.
        gap: the share of the final value.
    """
    final = curve[-1]
    away = [at for at, value in enumerate(curve) if not (abs(final - value) < gap * abs(final) or value == final)]
    return away[-1] + 1 if away else 0


def levels_by_difficulty(evaluation: Evaluation, objective: Objective, gap: float = GAP) -> dict[str, int]:
    """For each difficulty, in the order of appearance: the iteration at which Beyond levels off.

    A difficulty of which no problem has references is missing. An empty name: the dataset does not say.
    """
    found = {}
    for difficulty in dict.fromkeys(each.difficulty for each in evaluation.problems):
        some = tuple(each for each in evaluation.problems if each.difficulty == difficulty)
        part = replace(evaluation, problems=some)
        iterations = max(each.passed.shape[1] for each in some)
        curve = [beyond(part, objective, iteration) for iteration in range(iterations)]
        if curve[-1] == curve[-1]:
            found[difficulty] = levels_off_at(curve, gap)
    return found
