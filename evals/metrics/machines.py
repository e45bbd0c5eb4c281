"""How much faster or slower the machine was in one run than in another, by the known solutions that both measured."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.types import Objective
    from afterburner.evals.evaluation import Evaluation


def machine_ratios(before: Evaluation, after: Evaluation, objective: Objective) -> Mapping[str, float]:
    """The figures of the same known solutions after over before: the median of each problem, by its id.

    Problems of which no known solution was measured in both runs are left out. The code of a known solution is the
    same in both, so a ratio that is not 1 is the machine's, or its load's.
    """
    earlier = {each.id: each.remeasured.get(objective, {}) for each in before.problems}
    found = {}
    for problem in after.problems:
        now, then = problem.remeasured.get(objective, {}), earlier.get(problem.id, {})
        ratios = [now[code] / then[code] for code in now if then.get(code, 0) > 0]
        if ratios:
            found[problem.id] = median(ratios)
    return found
