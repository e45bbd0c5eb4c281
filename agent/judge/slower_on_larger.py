"""Whether a version is slower on inputs larger than the workload's.

The calls of tests are often too small to show a nested loop, and so small that a search in a list beats a set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.inputs.side_by_side import side_by_side
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.larger_inputs import AT_LEAST, MOST_BASES
from afterburner.agent.judge.later_calls import Again, warm_source
from afterburner.agent.judge.measuring.figures import time_compared
from afterburner.agent.judge.scaled_calls import Climb, MadeCalls, likely_bases, made_calls, scale_calls
from afterburner.agent.judge.time_limit import is_far_slower
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.types import Decision, Objective
from afterburner.agent.wording import LARGER_CALLS, format_ratio
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.inputs.harness_answers import FoundSize
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.scaled_calls import ScaledCall
    from afterburner.agent.types import WorkloadCall
    from afterburner.sandbox import CallOutcome, Report


UNTIL_S, MOST_CALL_S = 0.01, 0.5  # of the original's CPU time, for a call that is made larger step by step
DEAR_CALL_S = 2.0  # likewise, where no larger call is cheaper, and one is wanted all the same
GRACE_S, LIMIT = 2.0, 20  # what the other version may take for these: for its start, and times what BEFORE needs
MAKING_SHARE, MOST_MAKING_S = 0.25, 6.0  # of the time that is left
MANY = 10  # times as large: without a fraction
STEP_DOWN = 4.0  # times smaller: what is tried next where one version reaches its time limit
MOST_STEPS = 3
# How the elements differ from one another, and how that is told: quadratic work may need either to show. A loss by a
# constant factor on data that no call is like is none: it has to be this many times as slow.
VARIETIES = {"natural": "", "distinct": ", all different", "equal": ", all equal"}
FAR_SLOWER = 3.0
PLAINLY = 2.0  # times below what would be slower: as far as one run without a quiet core can be trusted
_MADE_OF = "made of the workload's costliest calls"
LOOKING_S = 60.0  # at most, for glances
NO_LARGER = "no larger inputs could be made"
NONE_IN_TIME = "larger inputs were not tried, since the time was up"
NOT_LARGER = "larger inputs were not tried to the end, since the time was up"
NOT_PROVEN_ON = "no slow-down was proven on"
CPU_TOLERATED, CPU_GRACE_S = 1.1, 0.05  # of whole processes, whose start is noise


@dataclass(frozen=True, slots=True)
class Tried:
    """Which larger inputs there were, in words: how large they were at most, or a clause on why there were none."""

    largest: str = ""
    none: str = ""

    def told(self, found: str) -> str:
        """The same with what was found on them; empty where they do not matter."""
        return f"{found} larger inputs, the largest of them {self.largest}" if self.largest else self.none


@dataclass(frozen=True, slots=True)
class LargerGlances:
    """What was seen of larger inputs without a quiet core: of which `VARIETIES` a slow-down cannot be ruled out.

    `ratio` is how many times faster the other version is on larger inputs that are like the real ones, and `size` tells
    how large these are. It is None if there are no such inputs, or if they leave any doubt. `tried` is what to tell of
    the larger inputs in any case: how large they were, or why there are none.
    """

    doubtful: tuple[tuple[str, float], ...] = ()  # with what a call may take of the original's CPU time, in seconds
    ratio: float | None = None
    size: str = ""
    tried: Tried = Tried()
    is_cut_short: bool = False  # larger ones still might have been made with more time

    @property
    def told(self) -> str:
        """What there is to tell of larger inputs where no slow-down was found on them."""
        told = self.tried.told(NOT_PROVEN_ON if self.doubtful else "not slower on")
        lacking = NOT_LARGER if self.is_cut_short and not self.tried.none else ""
        return "; ".join(filter(None, (told, lacking)))

    def plain_gain(self, needed: float) -> str:
        """The gain in words, where one run shows plainly more than is `needed`; else empty."""
        if self.ratio is None or self.ratio <= PLAINLY * needed:
            return ""
        return f"run once on {self.size}, {_MADE_OF}, in a fresh process: about {format_ratio(self.ratio)}"


def make_larger_inputs(bench: Workbench, judge: Judge, deadline: Deadline) -> None:
    """Make the calls for `glance_at_larger_inputs` in advance; the bench keeps them.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if bench.by_cases or judge.objective is not Objective.TIME:
        return
    for variety in VARIETIES:
        found = _Look(bench, judge, "", deadline, variety).found(MOST_CALL_S)
        if not any(each.scaled.startswith("len(") for each in found.calls):
            break


def glance_at_larger_inputs(
    bench: Workbench, judge: Judge, other: str, deadline: Deadline, *, however_dear: bool = False
) -> LargerGlances:
    """Run both versions once on larger inputs of each variety, and see where the other one plainly is not slower.

    Args:
        bench: of BEFORE.
        judge: of the comparison, or of a run.
        other: the text of AFTER's whole file.
        deadline: of the comparison.
        however_dear: whether larger inputs are wanted even where one call takes a second or two.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if bench.by_cases or judge.objective is not Objective.TIME:
        return LargerGlances()
    deadline = deadline.within(LOOKING_S)
    natural, *others = (_Look(bench, judge, other, deadline, variety) for variety in VARIETIES)
    most_call_s = MOST_CALL_S
    is_late = deadline.passed()
    if however_dear and not natural.found(most_call_s).calls:
        most_call_s = DEAR_CALL_S
    found = natural.found(most_call_s)
    seen = [natural.glance(most_call_s)]
    if any(each.scaled.startswith("len(") for each in found.calls):  # else there are no elements
        seen += side_by_side(bench.sandbox, [partial(look.glance, MOST_CALL_S) for look in others])
    doubtful = tuple(
        (variety, most_call_s if variety == natural.variety else MOST_CALL_S)
        for variety, glance in zip(VARIETIES, seen, strict=False)
        if glance.is_in_doubt
    )
    tried = natural.tried(found.calls, found.reasons, is_late=is_late)
    is_cut_short = is_late or not found.is_whole or any(glance.is_cut_short for glance in seen)
    return LargerGlances(doubtful, seen[0].ratio, seen[0].size, tried, is_cut_short)


def on_larger_inputs(
    bench: Workbench, judge: Judge, other: str, deadline: Deadline, glances: LargerGlances | None = None
) -> Again | None:
    """The worst slow-down on larger inputs; None where there is none, or none can be made.

    Where none is proven, it is one that seems to be there.

    Args:
        bench: of BEFORE.
        judge: of the comparison, or of a run.
        other: the text of AFTER's whole file.
        deadline: of the comparison.
        glances: the result of an earlier check; None: check now.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if glances is None:
        glances = glance_at_larger_inputs(bench, judge, other, deadline)
    looks = ((_Look(bench, judge, other, deadline, variety), most_call_s) for variety, most_call_s in glances.doubtful)
    slower = (look.slow_down(look.larger(most_call_s)[0]) for look, most_call_s in looks)
    return min(filter(None, slower), key=lambda each: (not each.is_proven, _gain_of(each)), default=None)


def still_slower(bench: Workbench, judge: Judge, other: str, deadline: Deadline) -> tuple[Again | None, Tried]:
    """What becomes of a slow-down on larger inputs that are like the real ones: no glance is needed there.

    Args:
        bench: of BEFORE.
        judge: of the comparison.
        other: the text of AFTER's whole file, which is slower on the real calls.
        deadline: of the comparison.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if bench.by_cases or judge.objective is not Objective.TIME:
        return None, Tried()
    look = _Look(bench, judge, other, deadline, "natural")
    is_late = deadline.passed()
    made, reasons = look.larger(MOST_CALL_S)
    return look.slow_down(made), look.tried(made, reasons, is_late=is_late)


def unseen_gain(bench: Workbench, judge: Judge) -> str:
    """What to tell of a loss on calls that may be too small to show what pays on more data; empty where they are not.

    Calls that the user wrote have the size that counts.
    """
    calls = bench.workload.calls_in_order()
    if bench.by_cases or judge.objective is not Objective.TIME:
        return ""
    if any(call.cpu_time_s >= UNTIL_S for call in calls) or all(call.origin.startswith("--calls") for call in calls):
        return ""
    return f"a gain on larger inputs was not looked for; {LARGER_CALLS}"


def _gain_of(slower: Again) -> float:
    gain = slower.comparison.gain
    return gain.ratio if gain is not None else 0.0


@dataclass(frozen=True, slots=True)
class _Glance:
    """One run of both versions on the largest calls. `ratio` is None if it leaves doubt, or if nothing was run."""

    is_in_doubt: bool
    ratio: float | None = None
    size: str = ""
    is_cut_short: bool = False


@dataclass(frozen=True, slots=True)
class _Look:
    """A look at larger inputs of one variety."""

    bench: Workbench
    judge: Judge
    other: str
    deadline: Deadline
    variety: str

    @property
    def told(self) -> str:
        """The variety in words."""
        return VARIETIES[self.variety]

    def larger(self, most_call_s: float) -> tuple[list[ScaledCall], tuple[str, ...]]:
        """Calls that are larger than the real ones, as far as there is time for making them; and why there are none."""
        told: tuple[str, ...] = ()
        for place in self._places(most_call_s):
            made, reasons = scale_calls(*place)
            told += reasons
            larger = [each for each in made if each.factor >= AT_LEAST]
            if larger:
                return larger, told
        return [], told

    def found(self, most_call_s: float) -> MadeCalls:
        """The same, unchecked; not whole if time ran out before all were made."""
        is_whole = True
        told: tuple[str, ...] = ()
        for place in self._places(most_call_s):
            made = made_calls(*place)
            larger = tuple(each for each in made.calls if each.factor >= AT_LEAST)
            is_whole, told = is_whole and made.is_whole, (*told, *made.reasons)
            if larger:
                return MadeCalls(larger, told, is_whole)
        return MadeCalls((), told, is_whole)

    def tried(self, made: Sequence[ScaledCall | FoundSize], reasons: Sequence[str], *, is_late: bool) -> Tried:
        """What there is to tell of larger calls and of why there are no more."""
        if made:
            return Tried(self._size(made))
        if is_late:
            return Tried(none=NONE_IN_TIME)
        why = f" ({reasons[0]})" if reasons else ""
        return Tried(none=f"{NO_LARGER}{why}, so what only more data shows was not seen")

    def _places(self, most_call_s: float) -> Iterator[tuple[Workbench, Sequence[WorkloadCall], Climb, float]]:
        """What larger calls are made of: all bases together, or, where calls are dear, one after the other.

        One dear call tells whether a gain is there, and each version makes it about ten times.
        """
        bases = likely_bases(self.bench.workload.calls_in_order())[:MOST_BASES]
        climb = Climb((2.0, 4.0), UNTIL_S, most_call_s, from_little=True, variety=self.variety)
        for some in [bases] if most_call_s <= MOST_CALL_S else [[base] for base in bases]:
            if some and not self.deadline.passed():
                yield self.bench, some, climb, min(MAKING_SHARE * self.deadline.left_s(), MOST_MAKING_S)

    def glance(self, most_call_s: float) -> _Glance:
        """Run both versions on the largest calls: as the first of a process, and after each was made once before.

        There is no doubt only if the outcomes are equal and the other version is clearly not slower, in CPU time, wall
        time and CPU time of the whole processes. The gain is taken from first calls, because a rewrite may cache
        results. Slow-downs are judged by later calls, because one-time work in a first call may hide them.
        """
        larger = self.found(most_call_s)
        found = {each.base: each for each in sorted(larger.calls, key=lambda each: each.factor)}
        if not found or self.deadline.passed():
            is_whole = larger.is_whole
            return _Glance(is_in_doubt=not is_whole or self.deadline.passed(), is_cut_short=not is_whole)
        bench = self._allowing(2 * sum(each.call.cpu_time_s for each in found.values()))
        blobs = tuple(each.call.blob for each in found.values())
        first = replace(bench.call_case((), hash_seed=0), calls=blobs, expected_outcomes=None)
        cases = [first, replace(first, warm=True)]
        programs = (bench.program(bench.target.source), bench.rewrite(self.other))
        own, other = side_by_side(
            bench.sandbox, [partial(bench.run_program, program, cases, bench.limits) for program in programs]
        )
        if any(report.verdict is not Verdict.ACCEPTED for report in (own, other)):
            return _Glance(is_in_doubt=True)
        pairs = [list(zip(a.outcomes, b.outcomes, strict=True)) for a, b in zip(own.cases, other.cases, strict=True)]
        if any(before.encoded != after.encoded for each in pairs for before, after in each):
            return _Glance(is_in_doubt=True)
        is_in_doubt = self._may_be_slower(pairs[1]) or _costs_more(own, other)
        spent_s = max(sum(after.cpu_time_s for _, after in pairs[0]), 1e-9)
        ratio = sum(before.cpu_time_s for before, _ in pairs[0]) / spent_s
        size = f"inputs {max(each.factor for each in found.values()):.3g} times as large"
        return _Glance(is_in_doubt, None if is_in_doubt else ratio, size, is_cut_short=not larger.is_whole)

    def _may_be_slower(self, pairs: Sequence[tuple[CallOutcome, CallOutcome]]) -> bool:
        return any(
            PLAINLY * after_s > self._least * before_s
            for before, after in pairs
            for before_s, after_s in (
                (before.cpu_time_s, after.cpu_time_s),
                (before.wall_time_s, after.wall_time_s),
            )
        )

    @property
    def _least(self) -> float:
        """Times as long from which a version counts as slower."""
        return FAR_SLOWER if self.told else 1 + self.judge.min_effect

    def _allowing(self, cpu_time_s: float) -> Workbench:
        """The bench with limits that are far above what the original needs, which is so much."""
        allowed_s = GRACE_S + LIMIT * cpu_time_s
        return replace(self.bench, limits=replace(self.bench.limits, wall_time_s=allowed_s, cpu_time_s=allowed_s))

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
        bench, least = self._allowing(sum(each.call.cpu_time_s for each in sizes)), self._least
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
        if said.gain is None or said.gain.ratio * least >= 1:
            return None
        where = self._size(same)
        if said.decision is not Decision.NOT_BETTER or said.gain.high * least >= 1:
            told = f"{format_ratio(1 / said.gain.ratio)} of the {time_compared(said.blocks)}"
            seeming = f"on {where} it seems to take {told}, which is not proven"
            return Again(said, seeming, where, is_proven=False)
        return Again(said, f"only on {where}", where)

    def _size(self, sizes: Sequence[ScaledCall | FoundSize]) -> str:
        """How large the calls are, in words."""
        largest = max(sizes, key=lambda each: each.factor)
        times = f"{largest.factor:,.0f}" if largest.factor >= MANY else f"{largest.factor:.2g}"
        scaled = f"{largest.scaled} = {largest.size:,}{self.told}"
        return f"inputs {times} times as large as the real ones ({scaled})"


def _costs_more(own: Report, other: Report) -> bool:
    """Whether the processes of the other version needed more altogether: work may go on outside of its calls."""
    return other.measurement.cpu_time_s > CPU_TOLERATED * own.measurement.cpu_time_s + CPU_GRACE_S


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
