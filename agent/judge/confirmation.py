"""What is confirmed, and what came of it: the incumbent, and the one confirmatory test of a winner."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.verification.reach import UnseenLine, lines_in_words
from afterburner.agent.stated_assumptions import AS_CALLED, advice_to_state
from afterburner.agent.types import Decision
from afterburner.agent.wording import format_ratio
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.input_gains import RealCalls
    from afterburner.agent.judge.measuring.sampling import Block
    from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
    from afterburner.agent.types import Gain, GainRange, HeldOut
    from afterburner.sandbox import Measurement, Report

ORIGINAL = "original"
NOT_TRIED_IN_TIME = " before the time was over; give --max-seconds more"  # the end of a reason


@dataclass(frozen=True, slots=True)
class Incumbent:
    """C* and M*: the best code so far. `id` is the candidate's, `ORIGINAL` for the user's own code."""

    id: str
    source: str
    measurement: Measurement
    ratio: float  # of the original's figure to this one's, as screening saw it
    verdict: Verdict = Verdict.ACCEPTED  # by the paper's selection, code that fails may be the best there is

    @property
    def passed(self) -> bool:
        """Whether it is right on every input of selection."""
        return self.verdict is Verdict.ACCEPTED


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The one confirmatory test of a winner against the original."""

    winner_id: str
    decision: Decision
    verdict: Verdict
    reason: str
    gain: Gain | None
    original: Measurement
    best: Measurement
    held_out: HeldOut
    counterexample: str | None = None
    counterexample_test: str = ""  # for pytest, where one was asked for
    notes: list[str] = field(default_factory=list)  # what the user should know about the offer
    caveat: str = ""  # what has to be known before it is taken: where it differs that neither hints nor calls rule out
    by_size: GainRange | None = None  # the gain on small inputs and on large ones
    larger_inputs: str = ""  # what became of a gain that was hard to believe
    blocks: list[Block] = field(default_factory=list)  # the samples of the test, without their parts
    real: RealCalls | None = None  # whose gain is announced in place of that of all timed calls
    on_real_calls: str = ""  # what these gain, in words, where made inputs alone show the gain
    figure: str = ""  # that the gain is of, as of a `Comparison`

    @property
    def confirmed(self) -> bool:
        """Whether the winner may be offered."""
        return self.decision is Decision.IMPROVED

    def announced(self) -> Confirmation:
        """The same with the gain and the times of the real calls, where these are announced."""
        if self.real is None:
            return self
        before, after = with_memory_of(self.real.before, self.original), with_memory_of(self.real.after, self.best)
        return replace(self, gain=self.real.gain, original=before, best=after)


def confirmation_of(
    winner: Incumbent,
    original: Incumbent,
    comparison: Comparison,
    held_out: HeldOut,
    example: Counterexample | None = None,
) -> Confirmation:
    """What the confirmatory test of a winner showed."""
    return Confirmation(
        winner_id=winner.id,
        decision=comparison.decision,
        verdict=comparison.verdict or Verdict.ACCEPTED,
        reason=comparison.reason,
        gain=comparison.gain,
        original=with_memory_of(comparison.before or original.measurement, original.measurement),
        best=with_memory_of(comparison.after or winner.measurement, winner.measurement),
        held_out=held_out,
        counterexample=example.line if example else None,
        counterexample_test=example.test if example else "",
        by_size=comparison.by_size,
        blocks=[block.without_parts() for block in comparison.blocks],
        figure=comparison.figure,
    )


def with_memory_of(measurement: Measurement, other: Measurement) -> Measurement:
    """The times of one, the memory of the other if the first has none: forks of a template share theirs with it."""
    if measurement.peak_memory_kib:
        return measurement
    return replace(
        measurement,
        peak_memory_kib=other.peak_memory_kib,
        memory_integral_kib_s=other.memory_integral_kib_s,
        samples=other.samples,
    )


def detail_of(report: Report) -> str:
    """What went wrong in the case that gave the report its verdict."""
    return next(case.detail for case in report.cases if case.verdict is report.verdict)


def differs(found: Counterexample, gain: Gain | None) -> Comparison:
    """What a counterexample makes of a candidate that has a gain."""
    if found.unfit:
        return Comparison(Decision.REFUSED, found.unfit)
    if found.provided:
        shown = f"{format_ratio(gain.ratio)}, " if gain is not None else ""
        return Comparison(Decision.CONDITIONAL, f"{shown}{found.condition}", gain)
    if found.rounding is not None:
        return Comparison(Decision.WRONG, found.rounding.words, verdict=Verdict.WRONG_ANSWER)
    reason = f"it differs from the original {found.place}"
    if found.remark:
        return Comparison(Decision.REFUSED, f"{reason}; {found.remark}")
    return Comparison(Decision.WRONG, reason, verdict=Verdict.WRONG_ANSWER)


def unproven(
    agreed: Agreement,
    gain: Gain | None,
    least: int,
    *,
    unreached: Sequence[int] = (),
    made: int | None = None,
    needed: Sequence[str] = (),
) -> Comparison | None:
    """What is left of a gain where too little was tried to offer it; None if it was enough.

    Enough is the least number of inputs, or all that could be made, with several values of every argument, and some
    that reach each line that the rewrite changes.

    Args:
        agreed: the inputs.
        gain: of the rewrite; None: it is told elsewhere.
        least: how many inputs there have to be as long as more can be made.
        unreached: lines that the rewrite changes and that no input is known to reach.
        needed: parameters that no input gives anything, although the code uses them.
        made: how many of the inputs were made; None for a function without arguments, of which none can be.
    """
    condition = _condition(agreed, unreached, made, needed)
    if condition:
        shown = f"{format_ratio(gain.ratio)}, " if gain is not None else ""
        return Comparison(Decision.CONDITIONAL, f"{shown}the same provided that {condition}", gain)
    if agreed.inputs >= least or (agreed.exhausted and (made is None or not agreed.failures)):
        return None
    told = f"only {agreed.inputs} of {least} inputs could be tried"
    if agreed.exhausted:
        return Comparison(Decision.REFUSED, f"{told}, for making more failed: {agreed.failures[0]}")
    return Comparison(Decision.REFUSED, f"{told}{NOT_TRIED_IN_TIME}")


def _condition(agreed: Agreement, unreached: Sequence[int], made: int | None, needed: Sequence[str]) -> str:
    """What has to hold of calls that nothing was tried like, in words; empty where there are none."""
    if made == 0 and (agreed.exhausted or agreed.failures):
        why = f" ({agreed.failures[0]})" if agreed.failures else ""
        return (
            f"each call is like the real ones, for no further input could be made{why}; "
            "give calls that some can be made from with --calls"
        )
    if agreed.unvaried:
        names = " and ".join(f"`{name}`" for name in agreed.unvaried)
        advice = advice_to_state(f"{AS_CALLED}({name})" for name in agreed.unvaried)
        are, them = ("is", "it") if len(agreed.unvaried) == 1 else ("are", "them")
        return (
            f"{names} {are} like in the real calls, for nothing else could be made of {them}; add calls with other "
            f"values with --calls, and if your calls show all that matters, {advice}"
        )
    if needed:
        names = " and ".join(f"`{name}`" for name in needed)
        advice = advice_to_state(f"not {name}" for name in needed)
        return (
            f"calls give {names} nothing, like the real ones, although the code uses "
            f"{'it' if len(needed) == 1 else 'them'}; {advice}"
        )
    if not unreached:
        return ""
    unless = f"no call reaches {lines_in_words(unreached)} of the original"
    if any(isinstance(line, UnseenLine) for line in unreached):
        return (
            f"{unless}: it is not known whether an input did, for some take too long to be followed, and the rewrite "
            "changes them; give shorter calls that do with --calls"
        )
    return f"{unless}: no input did, and the rewrite changes them; give calls that do with --calls"
