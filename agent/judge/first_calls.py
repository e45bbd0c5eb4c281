"""Whether a gain is there for the first call of a process, which can have learnt nothing from another.

The caches that we know are emptied before each timed call (`driver/module_state.py`). A rewrite may keep what it has
computed elsewhere: in a namespace, behind a bound method, in another module, in an object that it is given. No text
tells that for sure. So of every winner the dearest calls are timed once more, each as the only one of its process: in
a few samples, and where these do not show the gain, as thoroughly as candidates are screened.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.figures import figures_for
from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.types import Decision, Gain
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.sampling import BlockSource
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import WorkloadCall

MOST_CALLS = 3
LEAST_SHARE = 0.5  # of the logarithm of a gain: what first calls have to show of it
TOLD_SHARE = 0.75  # likewise: where they show less, the user is told
BRIEF_S = 0.1  # of the original's CPU time for the samples of one call
MOST_REPEATS = 4


@dataclass(frozen=True, slots=True)
class FirstCalls:
    """What first calls say of a gain: why it is none, and what to tell of it otherwise; both may be empty."""

    objection: str = ""
    note: str = ""


def look_at_first_calls(bench: Workbench, judge: Judge, winner: str, gain: Gain, deadline: Deadline) -> FirstCalls:
    """Time the dearest calls, each as the only one of its process.

    Args:
        bench: of the run, with the original.
        judge: likewise.
        winner: the text of the file with the rewrite in place.
        gain: on the timed calls, which one process made.
        deadline: when to give up, and believe the gain.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    calls = bench.timed_calls()
    if len(calls) < 2:
        return FirstCalls()  # it was the first of its process all along
    dearest = sorted(calls, key=lambda call: call.cpu_time_s, reverse=True)[:MOST_CALLS]
    look = _Look(bench, judge, winner, dearest, deadline)
    plenty, needed = gain.ratio**TOLD_SHARE, 1 + judge.min_effect
    brief = look.briefly()
    if brief is None or brief > max(plenty, needed):
        return FirstCalls()
    seen = look.thoroughly()
    if seen is None or isinstance(seen, str):
        return FirstCalls(objection=seen or "")
    ratio = max(seen.ratio, brief)
    if ratio < gain.ratio**LEAST_SHARE or seen.high <= needed:
        return FirstCalls(objection=_objection(ratio, gain, needed))
    return FirstCalls() if ratio >= plenty else FirstCalls(note=_note(ratio))


@dataclass(frozen=True, slots=True)
class _Look:
    """A look at these calls, each alone."""

    bench: Workbench
    judge: Judge
    winner: str
    calls: Sequence[WorkloadCall]
    deadline: Deadline

    def briefly(self) -> float | None:
        """The gain on all calls together, by a few samples of each; 0 if one fails, None if the time is up."""
        ratios: list[float] = []
        for call in self.calls:
            if self.deadline.passed():
                return None
            repeats = max(1, min(MOST_REPEATS, int(BRIEF_S / max(call.cpu_time_s, 1e-6))))
            try:
                [block] = self._alone(call).take(repeats, self.judge.seed)
            except SampleFailedError:
                return 0.0
            ratios.append(math.exp(block.log_ratio(figures_for(self.judge.objective, [block]).primary)))
        return self._together(ratios)

    def thoroughly(self) -> Gain | str | None:
        """The gain on all calls together as screening sees it, or how one differs; None where nobody knows."""
        gains: list[Gain] = []
        for call in self.calls:
            if self.deadline.passed():
                return None
            [alone] = self.judge.screen(self._alone(call), self.deadline)
            if alone.decision is Decision.WRONG:
                return f"a call that is the first of its process differs: {alone.reason}"
            if alone.gain is None:
                return None
            gains.append(alone.gain)
        ratio = self._together([each.ratio for each in gains])
        low, high = self._together([each.low for each in gains]), self._together([each.high for each in gains])
        return Gain(ratio, low, high, confidence=0.0, pairs=len(gains))

    def _alone(self, call: WorkloadCall) -> BlockSource:
        return self.bench.source_of_calls(self.bench.target.source, [self.winner], [call])

    def _together(self, ratios: Sequence[float]) -> float:
        """How many times less all calls take, where each takes so many times less."""
        before_s = [max(call.cpu_time_s, 1e-9) for call in self.calls]
        return sum(before_s) / sum(before / ratio for before, ratio in zip(before_s, ratios, strict=True))


def _objection(ratio: float, gain: Gain, needed: float) -> str:
    most = "only after other calls" if ratio <= needed else "for the most part only after other calls"
    return (
        f"the gain shows {most}, from what they have left: {format_ratio(gain.ratio)} in a process that makes all "
        f"calls, {format_ratio(ratio)} where a call is the first of its process"
    )


def _note(ratio: float) -> str:
    return f"a part of the gain shows only after other calls: the first call of a process gains {format_ratio(ratio)}"
