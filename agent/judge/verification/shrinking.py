"""Makes an input on which two programs differ smaller, as long as they still differ on it."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.inputs.replayed_calls import Replay
from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.agent.judge.verification.second_look import SecondLook
from afterburner.agent.judge.verification.written_tests import TestWriter
from afterburner.sandbox import Verdict
from afterburner.sandbox.contrasts import is_hidden
from afterburner.sandbox.differences import render_outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.inputs.harness_answers import FoundCall
    from afterburner.agent.judge.verification.call_differences import Comparer, Differing
    from afterburner.agent.types import WorkloadCall

VARIANTS = 48  # that one generation tries: one process makes so many calls
MAX_STEPS = 60
LARGEST_BYTES = 1024 * 1024  # of an input that is worth shrinking: each variant is copied and sent
JOB_S = 2.0  # for making smaller inputs
LEAST_S = 4.0  # for a process, whatever time is left
MAX_PREFIXES = 24  # processes that are spent on finding out which earlier calls matter
TELLING_S = 20.0  # for putting what was found into words and into a test, beyond the deadline


@dataclass(slots=True)
class Shrinker:
    """Shrinks what one rewrite does differently.

    `comparer` knows the original; `real_calls` are blobs that show the form of an input.
    """

    comparer: Comparer
    source: str
    deadline: Deadline
    real_calls: Sequence[bytes] = ()
    steps: int = 0

    def shrink(self, found: Differing) -> Counterexample:
        """The smallest input that could be found in time, as a counterexample."""
        kind = found.calls[-1].origin
        alone = self._again(found.calls[-1:], found.hash_seed)
        if alone is not None:
            return self._told(self._smallest(alone), kind, every_time=True)
        again = self._again(found.calls, found.hash_seed)
        if again is None:
            return self._told(replace(found, calls=found.calls[-1:]), kind, every_time=False)
        return self._told(self._fewest(again), kind, every_time=True)

    def _again(self, calls: Sequence[WorkloadCall], hash_seed: int) -> Differing | None:
        """The same difference once more: the last of these calls, and none before it."""
        differing = self.comparer.in_order(self.source, calls, hash_seed)
        return differing if differing is not None and len(differing.calls) == len(calls) else None

    def _smallest(self, found: Differing) -> Differing:
        """One generation of smaller inputs after the other, each from the smallest that still differs."""
        generations = [found]
        while len(generations) <= MAX_STEPS and not self.deadline.passed() and found.may_shrink:
            smaller = self._smaller(generations[-1])
            if smaller is None:
                break
            generations.append(smaller)
        # A rewrite that carries something from call to call may differ only because of the variants before.
        while len(generations) > 1 and self._again(generations[-1].calls, found.hash_seed) is None:
            generations.pop()
        self.steps = len(generations) - 1
        return generations[-1]

    def _smaller(self, found: Differing) -> Differing | None:
        """The smallest variant that differs, too; in one process with the variants before it."""
        [call] = found.calls
        if len(call.blob) > LARGEST_BYTES:
            return None
        expected = self._expected(self._ask(call, VARIANTS)[1:], call)
        differing = self.comparer.in_order(self.source, expected, found.hash_seed) if expected else None
        return differing and replace(differing, calls=differing.calls[-1:])

    def _expected(self, variants: Sequence[FoundCall], call: WorkloadCall) -> list[WorkloadCall]:
        """Those that the original does the same twice, ending as it did for the call: another error is another find."""
        if not variants:
            return []
        harness = self._harness(is_limited=True)
        replay = Replay(
            harness.sandbox,
            harness.target,
            harness.environment,
            harness.limits,
            float_tolerance=self.comparer.float_tolerance,
            fixed_clock=self.comparer.fixed_clock,
            alone_s=max(self.deadline.left_s(), 0.0),
            known_names=self.comparer.known_names,
        )
        kept, _ = replay.keep_usable(variants)
        return [each for each in kept if _ending(each.expected) == _ending(call.expected)]

    def _fewest(self, found: Differing) -> Differing:
        """Leave out earlier calls that do not matter, in ever smaller stretches."""
        best, step, tried = found, max(len(found.calls) // 2, 1), 0
        while tried < MAX_PREFIXES and not self.deadline.passed():
            start = 0
            while start < len(best.calls) - 1 and tried < MAX_PREFIXES:
                kept = best.calls[:start] + best.calls[min(start + step, len(best.calls) - 1) :]
                tried += 1
                fewer = self._again(kept, best.hash_seed)
                if fewer is None:
                    start += step
                else:
                    best = fewer
                    self.steps += 1
            if step == 1:
                break
            step //= 2
        return best

    def _told(self, found: Differing, kind: str, *, every_time: bool) -> Counterexample:
        """The counterexample in words, and as a test if one is wanted; that has its own time."""
        calls, until = found.calls, Deadline.after(TELLING_S)
        texts = tuple(self._text(call) for call in calls)
        difference = None
        if found.verdict is Verdict.WRONG_ANSWER and is_hidden(found.difference):
            difference = SecondLook(self.comparer, self.source, calls, found.hash_seed, until).difference()
        told = Counterexample(
            calls=texts,
            expected=render_outcome(calls[-1].expected),
            actual=found.actual,
            difference=difference or found.difference,
            kind=kind,
            blobs=tuple(call.blob for call in calls),
            hash_seed=found.hash_seed,
            shrink_steps=self.steps,
            every_time=every_time,
            timed_out=found.verdict is Verdict.TIME_LIMIT,
        )
        if not self.comparer.writes_tests:
            return told
        writer = TestWriter(self.comparer, self.source, found.hash_seed, until)
        return replace(told, test=writer.write(calls, told.line))

    def _text(self, call: WorkloadCall) -> str:
        """The call as Python; its short description where that cannot be had."""
        return next((told.text for told in self._ask(call, 0) if told.text), call.description)

    def _ask(self, call: WorkloadCall, wanted: int) -> list[FoundCall]:
        """The call itself with its text, then smaller variants; nothing if the job failed."""
        blob, *real = (base64.b64encode(each).decode("ascii") for each in (call.blob, *self.real_calls))
        fields = {"blob": blob, "blobs": real, "wanted": wanted, "assume": list(self.comparer.assume)}
        return list(self._harness(is_limited=wanted > 0).ask("shrink", "shrunk", fields).calls)

    def _harness(self, *, is_limited: bool) -> Harness:
        """`is_limited`: to the time that is left, for variants: one that takes longer is not worth it."""
        comparer = self.comparer
        allowed_s = comparer.limits.wall_time_s + JOB_S  # what the real calls are allowed covers start and imports
        if is_limited:
            allowed_s = min(allowed_s, max(self.deadline.left_s(), LEAST_S) + JOB_S)
        limits = replace(comparer.limits, wall_time_s=allowed_s, cpu_time_s=allowed_s)
        return Harness(comparer.sandbox, comparer.target, comparer.environment, limits)


def _ending(encoded: bytes) -> bytes:
    """How an outcome ends: returned, or the class of what was raised (`sandbox/driver/value_encoder.py`)."""
    head = encoded[:400]
    if b'["raised"' not in head[:64]:
        return b"returned"
    return head.partition(b'["exception",')[2].partition(b",")[0]
