"""Whether a version is slower on inputs larger than those of the workload: a loop within a loop does not show in tests.

The calls of tests are often so small that a search in a list beats a set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.larger_inputs import AT_LEAST, MOST_BASES
from afterburner.agent.judge.later_calls import Again, warm_source
from afterburner.agent.judge.scaled_calls import Climb, likely_bases, scale_calls
from afterburner.agent.judge.time_limit import is_far_slower
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.types import Decision, Objective
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.scaled_calls import ScaledCall

UNTIL_S, MOST_CALL_S = 0.01, 0.5  # of the original's CPU time, for a call that is made larger step by step
GRACE_S, LIMIT = 2.0, 20  # what the other version may take for these: for its start, and times what BEFORE needs
MAKING_SHARE, MOST_MAKING_S = 0.25, 6.0  # of the time that is left
MANY = 10  # times as large: without a fraction
STEP_DOWN = 4.0  # times smaller: what is tried next where one version reaches its time limit
MOST_STEPS = 3
# How the elements differ from one another, and how that is told: quadratic work may need either to show. A loss by a
# constant factor on data that no call is like is none: it has to be this many times as slow.
VARIETIES = {"natural": "", "distinct": ", all different", "equal": ", all equal"}
FAR_SLOWER = 3.0


def on_larger_inputs(bench: Workbench, judge: Judge, other: str, deadline: Deadline) -> Again | None:
    """The worst slow-down on larger inputs; None where there is none, or none can be made.

    Args:
        bench: of BEFORE.
        judge: of the comparison, or of a run.
        other: the text of AFTER's whole file.
        deadline: of the comparison.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if bench.by_cases or judge.objective is not Objective.TIME:
        return None
    found: list[Again] = []
    for variety, told in VARIETIES.items():
        look = _Look(bench, judge, other, deadline, told)
        larger = look.larger(variety)
        slower = look.slow_down(larger)
        found += [slower] if slower is not None else []
        if not any(each.scaled.startswith("len(") for each in larger):
            break  # there are no elements
    return min(found, key=_gain_of, default=None)


def _gain_of(slower: Again) -> float:
    gain = slower.comparison.gain
    return gain.ratio if gain is not None else 0.0


@dataclass(frozen=True, slots=True)
class _Look:
    """A look at larger inputs of one variety; `told` says in words which."""

    bench: Workbench
    judge: Judge
    other: str
    deadline: Deadline
    told: str

    def larger(self, variety: str) -> list[ScaledCall]:
        """Calls that are larger than the real ones, as far as there is time for making them."""
        bases = likely_bases(self.bench.workload.calls_in_order())[:MOST_BASES]
        if not bases or self.deadline.passed():
            return []
        climb = Climb((2.0, 4.0), UNTIL_S, MOST_CALL_S, from_little=True, variety=variety)
        made, _ = scale_calls(self.bench, bases, climb, min(MAKING_SHARE * self.deadline.left_s(), MOST_MAKING_S))
        return [each for each in made if each.factor >= AT_LEAST]

    def slow_down(self, made: Sequence[ScaledCall]) -> Again | None:
        """The slow-down on the largest calls; on smaller ones where AFTER reaches its time limit on these."""
        late: Again | None = None
        for sizes in _steps_down(made):
            found = self._on(sizes)
            if found is None or found.comparison.gain is not None:
                return found or late
            late = late or found
        return late

    def _on(self, sizes: Sequence[ScaledCall]) -> Again | None:
        """The slow-down on these calls, as far as AFTER does the same on them; without a gain where it is too late."""
        allowed_s = GRACE_S + LIMIT * sum(each.call.cpu_time_s for each in sizes)
        bench = replace(self.bench, limits=replace(self.bench.limits, wall_time_s=allowed_s, cpu_time_s=allowed_s))
        least = FAR_SLOWER if self.told else 1 + self.judge.min_effect
        same: list[ScaledCall] = []
        for each in sizes:
            cases = [bench.call_case([each.call], hash_seed=0)]
            verdict = bench.run_program(bench.rewrite(self.other), cases, bench.limits).verdict
            if verdict is Verdict.TIME_LIMIT:
                where = self._size([each])
                is_slower, reason = is_far_slower(bench, self.other, cases, where, least)
                if is_slower:
                    return Again(Comparison(Decision.NOT_BETTER, reason), f"only on {where}", where)
            elif verdict is Verdict.ACCEPTED:
                same.append(each)
        if not same or self.deadline.passed():
            return None
        source = warm_source(bench, self.other, [each.call for each in same])
        [seen] = self.judge.screen(source, self.deadline)
        if seen.gain is None or seen.gain.ratio * least >= 1:
            return None
        both_ways = TwoSidedJudge(self.judge.objective, self.judge.min_effect, self.judge.seed)
        said, _ = both_ways.confirm(source, self.deadline, held_out_from=0)
        if said.decision is not Decision.NOT_BETTER or said.gain is None or said.gain.high * least >= 1:
            return None
        where = self._size(same)
        return Again(said, f"only on {where}", where)

    def _size(self, sizes: Sequence[ScaledCall]) -> str:
        """How large the calls are, in words."""
        largest = max(sizes, key=lambda each: each.factor)
        times = f"{largest.factor:,.0f}" if largest.factor >= MANY else f"{largest.factor:.2g}"
        scaled = f"{largest.scaled} = {largest.size:,}{self.told}"
        return f"inputs {times} times as large as the real ones ({scaled})"


def _steps_down(made: Sequence[ScaledCall]) -> list[list[ScaledCall]]:
    """The largest call of each base, then those that are a few times smaller, and so on."""
    steps: list[list[ScaledCall]] = []
    most = dict.fromkeys((each.base for each in made), math.inf)
    while most and len(steps) < MOST_STEPS:
        chosen = [
            max(fitting, key=lambda each: each.factor)
            for base, limit in most.items()
            if (fitting := [each for each in made if each.base == base and each.factor <= limit])
        ]
        if not chosen:
            break
        steps.append(chosen)
        most = {each.base: each.factor / STEP_DOWN for each in chosen}
    return steps
