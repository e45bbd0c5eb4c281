"""Compares two versions: does the second one behave like the first, and is it faster or slower?

Equality is as strict as an offer's, and comes first: every call under every hash seed, inputs made to find a
difference, and other circumstances. Then one test in both directions (`two_sided`) decides. What a rewrite would be
refused for is no answer here either: such a version is never called faster, nor the other one slower for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from afterburner.agent.errors import WorkloadError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage, in_stage
from afterburner.agent.inputs.choosing import is_invented
from afterburner.agent.inputs.replayed_calls import HASH_SEEDS
from afterburner.agent.judge.circumstances import Dependence
from afterburner.agent.judge.confirmation import Incumbent, detail_of
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.input_gains import (
    measure_real_calls,
    outweighed_calls,
    told_of_losses,
    told_of_made,
    told_ratio,
)
from afterburner.agent.judge.lacking_time import OUT_OF_TIME, lacks_inputs, told_of_blocks
from afterburner.agent.judge.larger_inputs import LargerLook
from afterburner.agent.judge.later_calls import can_be_warm, warm_source, when_warm
from afterburner.agent.judge.measuring.figures import figures_between, time_compared
from afterburner.agent.judge.running_original import all_cases, original_of, run_original
from afterburner.agent.judge.slower_on_larger import (
    NOT_LARGER,
    NOT_PROVEN_ON,
    glance_at_larger_inputs,
    on_larger_inputs,
    still_slower,
    unseen_gain,
)
from afterburner.agent.judge.text_objections import TextObjections
from afterburner.agent.judge.time_limit import is_far_slower
from afterburner.agent.judge.unseen_functions import unseen_function
from afterburner.agent.judge.verification.call_differences import unfit_objects
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.whole_runs import WholeRunDifference
from afterburner.agent.types import Decision, Objective
from afterburner.agent.wording import format_ratio
from afterburner.sandbox import Report, Verdict
from afterburner.sandbox.calls import UNPLACED_SYNTAX_ERROR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.behaviour import Difference
    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.input_gains import Outweighed
    from afterburner.agent.judge.later_calls import Again
    from afterburner.agent.judge.measuring.sample_sources import Case
    from afterburner.agent.judge.measuring.sampling import Block, BlockSource
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.two_sided import TwoSidedJudge
    from afterburner.agent.types import Gain, WorkloadCall
    from afterburner.sandbox import Measurement

BLOCKS_TOLD = 4
MOST_LATE = 3  # calls that run into the time limit by themselves, while one is looked for that ends and is wrong
MUCH_SLOWER = 1.5  # times as slow on larger inputs as on the real calls: that is told
LONGEST_TELLING_S = 20.0  # spent on that, where a slow-down is known already
LONGEST_SHRINKING_S = 20.0  # a difference is all that a comparison has to show for itself


class ComparisonDecision(StrEnum):
    """What AFTER is, held against BEFORE."""

    DIFFERENT = "different"
    CONDITIONAL = (
        "conditional"  # the same as long as an assumption holds that held in every real call, or was not tried
    )
    FASTER = "faster"  # by more than the minimum effect
    SLOWER = "slower"  # likewise
    SAME = "same"  # neither, within the minimum effect
    TOO_NOISY = "too_noisy"  # no answer: the samples do not tell, or a gate does not believe them


_PROVEN = (ComparisonDecision.FASTER, ComparisonDecision.SLOWER)
_NEEDING_INPUTS = (ComparisonDecision.FASTER, ComparisonDecision.SAME)  # which have to agree on enough of them
MEASURED = (ComparisonDecision.FASTER, ComparisonDecision.SLOWER, ComparisonDecision.SAME)


@dataclass(frozen=True, slots=True)
class VersionFindings:
    """The answer of a comparison. `objection` says why a gate does not believe what was measured.

    The test is of all timed calls together. Where `gain` is announced of the real calls alone, as are the times and the
    samples, `all_inputs` is the gain that was tested, and `all_blocks` are its samples.
    """

    decision: ComparisonDecision
    reason: str
    gain: Gain | None = None
    counterexample: Counterexample | None = None
    agreement: Agreement | None = None  # on which inputs both did the same
    objection: str = ""
    caveat: str = ""  # what has to be known of the gain before anybody acts on it
    larger_inputs: str = ""
    tried_larger: str = ""  # how large the inputs were on which a slow-down was looked for, or why there were none
    lacks_larger: bool = False  # whether the time was up before a slow-down on larger inputs could be ruled out
    can_be_replayed: bool = True  # whether a receipt would measure the same: the calls of the workload, each made first
    before: Measurement | None = None
    after: Measurement | None = None
    blocks: tuple[Block, ...] = field(default=(), repr=False)
    all_inputs: Gain | None = None
    all_blocks: tuple[Block, ...] = field(default=(), repr=False)
    outweighed: Outweighed | None = field(default=None, repr=False)  # the real calls, by made inputs

    @property
    def tested_gain(self) -> Gain | None:
        """The gain on all timed calls."""
        return self.all_inputs or self.gain

    @property
    def on_larger(self) -> str:
        """All that there is to tell of larger inputs."""
        return _joined(self.tried_larger, self.larger_inputs)

    @property
    def caveats(self) -> str:
        """What limits the answer, and what has to be known of the gain; in the other order if it is a loss."""
        told = [self.agreement.caveat if self.agreement is not None else "", self.caveat]
        if self.decision is ComparisonDecision.SLOWER:
            told.reverse()
        return _joined(*told)


@dataclass(slots=True)
class VersionJudge:
    """Compares one other version with the original of a bench."""

    bench: Workbench
    judge: TwoSidedJudge
    deadline: Deadline
    on_event: OnEvent
    texts: TextObjections = field(default_factory=TextObjections)
    real_calls_alone: bool = False  # whether no difference is looked for beyond the real calls of the workload
    _most_blocks: int = field(default=0, init=False)  # of the test that was begun last

    def __post_init__(self) -> None:
        """Calls that were made up are left out where the real ones alone count, and where there are any."""
        workload = self.bench.workload
        real = tuple(call for call in workload.calls_in_order() if not is_invented(call.origin))
        if self.real_calls_alone and real:
            self.bench = replace(self.bench, workload=replace(workload, calls=real, held_out_calls=()))

    def compare(self, source: str) -> VersionFindings:
        """Hold a version against the original.

        Args:
            source: the text of its whole file.

        Raises:
            WorkloadError: the original does not do the same each time, or a file of the version does not compile.
            SandboxInternalError: the sandbox itself failed.
        """
        self._report(EventKind.RUNNING_BEFORE)
        report = run_original(self.bench)
        if report.verdict is Verdict.TIME_LIMIT:
            reason = f"BEFORE itself reached the time limit of {self.bench.limits.wall_time_s:.3g} s"
            return VersionFindings(ComparisonDecision.TOO_NOISY, reason)
        original = original_of(self.bench, report)  # the limits stay wide: AFTER may be far slower
        other = Incumbent("after", source, original.measurement, ratio=1.0)
        shrinking_s = min(LONGEST_SHRINKING_S, self.deadline.left_s() / 4)
        on_search = in_stage(self.on_event, Stage.COMPARE)
        confirming = Confirming(
            self.bench, self.judge, self.deadline, self.on_event, shrinking_s=shrinking_s, on_search=on_search
        )
        self._report(EventKind.COMPARING_BEHAVIOUR)
        found = self._on_real_calls(confirming, other)
        if found is None:
            found = Agreement() if self.real_calls_alone else self._behaviour(confirming, other)
        return found if isinstance(found, VersionFindings) else self._compared(confirming, other, original, found)

    def _compared(
        self, confirming: Confirming, other: Incumbent, original: Incumbent, agreed: Agreement
    ) -> VersionFindings:
        """What a version is that did the same as far as was tried."""
        measured = self.measure(confirming, other, original, agreed)
        unseen = unseen_function(self.bench.workload.calls_in_order())
        if not (self.real_calls_alone or unseen) and measured.decision in _NEEDING_INPUTS:
            found = self._tried_further(confirming, other, original, agreed)
            if isinstance(found, VersionFindings):
                return found
            agreed, measured = found, replace(measured, agreement=found)
            too_few = confirming.unproven(agreed, other, original)
            if lacks_inputs(too_few):  # so nothing that is measured besides can prove it
                return _as_far_as_proven(measured, too_few)
        measured = self._announced(self._looked_at_again(measured, other.source), other.source)
        if unseen and measured.decision not in {ComparisonDecision.SLOWER, ComparisonDecision.DIFFERENT}:
            return _with_unseen(measured, unseen)
        if self.real_calls_alone:
            return replace(_of_real_calls(measured), can_be_replayed=False)
        return _as_far_as_proven(measured, confirming.unproven(agreed, other, original))

    def _tried_further(
        self, confirming: Confirming, other: Incumbent, original: Incumbent, agreed: Agreement
    ) -> Agreement | VersionFindings:
        """The agreement, on more inputs if these are too few and there is time; or a difference on one of them."""
        if self.deadline.passed() or not lacks_inputs(confirming.unproven(agreed, other, original)):
            return agreed
        self._report(EventKind.COMPARING_BEHAVIOUR)
        return self._told_of_behaviour(confirming.agrees_further(other), other)

    def _looked_at_again(self, measured: VersionFindings, source: str) -> VersionFindings:
        """What was measured of a version, unless calls of a warm process or larger inputs say something else."""
        if measured.gain is None or measured.objection:
            return measured
        if not self.real_calls_alone and measured.decision in _PROVEN:
            self._report(EventKind.MEASURING_BOTH)
            again = when_warm(self.bench, self.judge, source, measured.gain, self.deadline)
            if again is not None:
                decision = self._decided(again.comparison)[0]
                told = replace(measured, caveat=_joined(again.caveat, measured.caveat))
                if decision is measured.decision:
                    measured = told
                else:
                    measured = replace(_with(measured, again, decision), outweighed=self._outweighed(again.comparison))
        if measured.gain is None or self.texts.before:
            return measured
        self._report(EventKind.MEASURING_LARGER_INPUTS)
        if measured.decision is ComparisonDecision.SLOWER:
            return self._told_where_slower(measured, measured.gain, source)
        return self._unless_slower_on_larger(measured, source)

    def _told_where_slower(self, measured: VersionFindings, gain: Gain, source: str) -> VersionFindings:
        """A slow-down with what larger inputs show; the figure stays the one of the real calls."""
        larger, tried = still_slower(self.bench, self.judge, source, self.deadline.within(LONGEST_TELLING_S))
        if larger is not None:
            return _told_of_larger(measured, larger, gain)
        told = tried.told(NOT_PROVEN_ON)
        return replace(measured, larger_inputs=unseen_gain(self.bench, self.judge), tried_larger=told)

    def _unless_slower_on_larger(self, measured: VersionFindings, source: str) -> VersionFindings:
        """What was measured of a version that is not slower on the real calls."""
        glances = glance_at_larger_inputs(self.bench, self.judge, source, self.deadline)
        larger = on_larger_inputs(self.bench, self.judge, source, self.deadline, glances)
        if larger is not None and larger.is_proven:
            return _with(measured, larger, ComparisonDecision.SLOWER)
        if glances.doubtful and self.deadline.passed():
            decision, told = ComparisonDecision.TOO_NOISY, glances.tried.told(NOT_PROVEN_ON)
            reason = f"{measured.reason}, but {NOT_LARGER}"
            return replace(measured, decision=decision, reason=reason, tried_larger=told, lacks_larger=True)
        if larger is not None:
            return replace(measured, larger_inputs=_joined(measured.larger_inputs, larger.caveat))
        return replace(measured, tried_larger=glances.told)

    def _on_real_calls(self, confirming: Confirming, other: Incumbent) -> Agreement | VersionFindings | None:
        """What the calls of the workload show against a version; None: it does the same on all of them."""
        first, *others = all_cases(self.bench)
        for cases in ([first], others):  # what is far too slow shows in the first
            report = confirming.failed(other, cases)
            if report is not None:
                return self._failed(confirming, other, cases, report)
        return None

    def _behaviour(self, confirming: Confirming, other: Incumbent) -> Agreement | VersionFindings:
        """What is found where a difference is looked for."""
        return self._told_of_behaviour(confirming.behaves(other, (), by_cost=False), other)

    def _told_of_behaviour(self, found: Agreement | Difference, other: Incumbent) -> Agreement | VersionFindings:
        match found:
            case Counterexample(unfit=unfit) if unfit:
                return VersionFindings(ComparisonDecision.TOO_NOISY, f"AFTER: {unfit}")
            case Counterexample(timed_out=True):
                case = self.bench.call_case((), hash_seed=found.hash_seed)
                return self._late(other, [replace(case, calls=found.blobs, expected_outcomes=None)], found.shown_calls)
            case Counterexample():
                decision = ComparisonDecision.CONDITIONAL if found.provided else ComparisonDecision.DIFFERENT
                return VersionFindings(decision, found.condition or _reason(found), counterexample=found)
            case Dependence(timed_out=True):
                return self._late(other, [found.circumstance.case], f"the calls made {found.circumstance.name}")
            case Dependence() | WholeRunDifference():
                return VersionFindings(ComparisonDecision.DIFFERENT, found.reason)
            case Agreement():
                return found
        raise AssertionError(found)  # the report of cases, and there were none

    def _failed(
        self, confirming: Confirming, other: Incumbent, cases: Sequence[Case], report: Report
    ) -> VersionFindings:
        """What cases that are not all right say; of those that ran into the time limit a part may be wrong."""
        wrong = [each for each in report.cases if each.verdict not in {Verdict.ACCEPTED, Verdict.TIME_LIMIT}]
        is_of_file = wrong and not wrong[0].detail.startswith(UNPLACED_SYNTAX_ERROR)
        if is_of_file and wrong[0].verdict is Verdict.COMPILE_ERROR:
            raise WorkloadError(f"AFTER cannot be imported, so nothing is known of it: {wrong[0].detail}.")
        if wrong:
            return self._different(confirming, other, wrong[0].detail, self.bench.workload.calls_in_order())
        late = next(case for case, each in zip(cases, report.cases, strict=True) if each.verdict is Verdict.TIME_LIMIT)
        alone_late: list[tuple[list[Case], str]] = []
        for call in sorted(self.bench.workload.calls_in_order(), key=lambda each: each.cpu_time_s):
            if self.deadline.passed() or len(alone_late) == MOST_LATE:
                break
            alone = self.bench.call_case([call], hash_seed=HASH_SEEDS[0])
            found = confirming.failed(other, [alone])
            if found is not None and found.verdict is not Verdict.TIME_LIMIT:
                return self._different(confirming, other, detail_of(found), [call])
            if found is not None:
                alone_late.append(([alone], call.description))
        together = ([late], late.name or "the calls of the workload together")
        return self._late(other, *(alone_late[0] if alone_late else together))

    def _different(
        self, confirming: Confirming, other: Incumbent, detail: str, calls: Sequence[WorkloadCall]
    ) -> VersionFindings:
        if unfit := unfit_objects(detail):
            return VersionFindings(ComparisonDecision.TOO_NOISY, f"AFTER: {unfit}")
        example = confirming.difference(other.source, self.deadline, 0, calls)
        if example is None or example.timed_out:
            return VersionFindings(ComparisonDecision.DIFFERENT, detail)
        return VersionFindings(ComparisonDecision.DIFFERENT, _reason(example), counterexample=example)

    def _late(self, other: Incumbent, cases: Sequence[Case], on: str) -> VersionFindings:
        """What a version is that reached the time limit on one of these inputs."""
        if self.judge.objective is not Objective.TIME:
            reason = f"AFTER reached the time limit on {on}, so what it needs of memory is not known"
            return VersionFindings(ComparisonDecision.TOO_NOISY, reason)
        is_slower, reason = is_far_slower(self.bench, other.source, cases, on, 1 + self.judge.min_effect)
        if is_slower and self.texts.before:
            return VersionFindings(ComparisonDecision.TOO_NOISY, self.texts.before, objection=self.texts.before)
        return VersionFindings(ComparisonDecision.SLOWER if is_slower else ComparisonDecision.TOO_NOISY, reason)

    def measure(
        self, confirming: Confirming, other: Incumbent, original: Incumbent, agreement: Agreement | None = None
    ) -> VersionFindings:
        """The test alone: for a version that is known to do the same, which `agreement` tells of."""
        self._report(EventKind.MEASURING_BOTH)
        said, _ = self.judge.confirm(
            self._blocks(other, original), self.deadline, held_out_from=0, on_blocks=self._on_blocks
        )
        if said.verdict is Verdict.TIME_LIMIT:
            return self._late(other, self.bench.measured_cases(self.judge.objective), "the calls that are measured")
        look = LargerLook(said)
        if said.decision is Decision.IMPROVED and said.gain is not None:
            look = confirming.on_larger_inputs(said, said.gain, other)
        said = look.comparison
        decision, objection = self._decided(said)
        reason = objection or (self._out_of_time(said) if said.gain is None and self.deadline.passed() else said.reason)
        loss = ""
        if decision in _NEEDING_INPUTS:
            loss = told_of_losses(self.bench, self.judge.objective, said, figures_between)
        return VersionFindings(
            decision,
            reason,
            said.gain,
            counterexample=look.example,
            agreement=agreement,
            objection=objection,
            caveat=loss,
            larger_inputs=look.told,
            before=said.before,
            after=said.after,
            blocks=tuple(block.without_parts() for block in said.blocks),
            outweighed=self._outweighed(said),
        )

    def _out_of_time(self, said: Comparison) -> str:
        figures = figures_between(self.judge.objective, said.blocks) if said.blocks else None
        return told_of_blocks(said.blocks, self._most_blocks, figures.primary) if figures else OUT_OF_TIME

    def _outweighed(self, said: Comparison) -> Outweighed | None:
        return outweighed_calls(self.bench, self.judge.objective, said, figures_between)

    def _announced(self, measured: VersionFindings, source: str) -> VersionFindings:
        """The same with the gain on the real calls in front, where made inputs outweigh them."""
        outweighed, whole = measured.outweighed, measured.gain
        if outweighed is None or whole is None or measured.decision not in MEASURED:
            return measured
        self._report(EventKind.MEASURING_BOTH)
        warm = not measured.can_be_replayed  # as what was measured is
        real = measure_real_calls(
            self.bench, self.judge, source, outweighed, self.deadline, choose=figures_between, warm=warm
        )
        if real is None or not real.shows(whole, 1 + self.judge.min_effect):
            reason = f"{measured.reason} with made inputs{f', but {real.told}' if real else ''}"
            return replace(measured, reason=reason, caveat=_joined(outweighed.told, measured.caveat))
        return replace(
            measured,
            reason=f"{real.noun} {real.told}",
            gain=real.gain,
            caveat=_joined(told_of_made(whole, outweighed), measured.caveat),
            before=real.before,
            after=real.after,
            blocks=tuple(real.blocks),
            all_inputs=whole,
            all_blocks=measured.blocks,
        )

    def _blocks(self, other: Incumbent, original: Incumbent) -> BlockSource:
        """Where samples come from: where slow-downs alone count, processes that have done what is done only once."""
        if self.real_calls_alone and can_be_warm(self.bench, self.judge):
            return warm_source(self.bench, other.source, self.bench.timed_calls())
        return self.bench.block_source(original.source, [other.source], self.judge.objective, held_out=True)[0]

    def _decided(self, said: Comparison) -> tuple[ComparisonDecision, str]:
        """The decision, and what stands against a measured one."""
        if said.decision is Decision.WRONG:  # a time limit is one on larger inputs, and AFTER is faster on the others
            is_late = said.verdict is Verdict.TIME_LIMIT
            return (ComparisonDecision.TOO_NOISY, said.reason) if is_late else (ComparisonDecision.DIFFERENT, "")
        if said.decision is Decision.CONDITIONAL:
            return ComparisonDecision.CONDITIONAL, ""
        if said.decision is Decision.REFUSED:
            late = said.gain is None and self.deadline.passed()
            return ComparisonDecision.TOO_NOISY, "" if late else said.reason
        if said.decision is Decision.TOO_NOISY or said.gain is None:
            return ComparisonDecision.TOO_NOISY, ""
        decision, objection = ComparisonDecision.SAME, ""
        if said.decision is Decision.IMPROVED:
            decision, objection = ComparisonDecision.FASTER, self.texts.after
        elif said.gain.low > 1 + self.judge.min_effect:
            objection = said.reason  # not on larger inputs
        elif self.judge.is_slower(said.gain):
            decision, objection = ComparisonDecision.SLOWER, self.texts.before
        return (ComparisonDecision.TOO_NOISY if objection else decision), objection

    def _on_blocks(self, taken: int, most: int) -> None:
        self._most_blocks = most
        if taken % BLOCKS_TOLD == 0 and taken < most:
            self._report(EventKind.BLOCKS_TAKEN, taken, most)

    def _report(self, kind: EventKind, count: int | None = None, most: int | None = None) -> None:
        self.on_event(ProgressEvent(kind=kind, stage=Stage.COMPARE, count=count, most=most))


def _with(measured: VersionFindings, again: Again, decision: ComparisonDecision) -> VersionFindings:
    """The same findings with what a second look says."""
    said, caveat = again.comparison, again.caveat
    if again.where and measured.decision is ComparisonDecision.TOO_NOISY:
        caveat = f"only on {again.where}; on the real ones it is too noisy to tell"
    known = measured.outweighed or measured.gain
    if again.where and measured.decision is ComparisonDecision.FASTER and known is not None:
        caveat = f"{caveat}; on the real ones {told_ratio(known.ratio)}"
    return replace(
        measured,
        decision=decision,
        reason=said.reason,
        gain=said.gain,
        caveat=caveat,
        can_be_replayed=False,
        outweighed=None,
        before=said.before,
        after=said.after,
        blocks=tuple(block.without_parts() for block in said.blocks),
    )


def _joined(*told: str) -> str:
    return "; ".join(filter(None, told))


def _told_of_larger(measured: VersionFindings, larger: Again, gain: Gain) -> VersionFindings:
    """A slow-down, with how much slower larger inputs are where that is more than on the real calls."""
    on_larger, told = larger.comparison.gain, larger.comparison.reason if larger.is_proven else larger.caveat
    if larger.is_proven and on_larger is not None:
        what = time_compared(larger.comparison.blocks)
        told = f"{format_ratio(1 / max(on_larger.ratio, 1e-9))} of the {what} on {larger.where}"
    if not larger.is_proven or (on_larger is not None and on_larger.ratio * MUCH_SLOWER > gain.ratio):
        return replace(measured, tried_larger=told)
    return replace(measured, caveat=_joined(measured.caveat, told))


def _with_unseen(measured: VersionFindings, function: str) -> VersionFindings:
    """No answer, as what the calls give back may have become slow or wrong where nobody has looked."""
    reason = f"the calls give back the function {function}, and what that does and takes was not measured"
    return replace(measured, decision=ComparisonDecision.TOO_NOISY, reason=reason, objection=reason)


def _of_real_calls(measured: VersionFindings) -> VersionFindings:
    """What was measured. That both do the same is known of the real calls alone, which says nothing against slower."""
    if measured.decision not in _NEEDING_INPUTS:
        return measured
    reason = f"{measured.reason}, and no difference was looked for beyond the real calls"
    return replace(measured, decision=ComparisonDecision.CONDITIONAL, reason=reason)


def _as_far_as_proven(measured: VersionFindings, too_few: Comparison | None) -> VersionFindings:
    """What was measured, unless too little was tried to say that both do the same: that says nothing against slower."""
    if too_few is None or measured.decision not in _NEEDING_INPUTS:
        return measured
    is_condition = too_few.decision is Decision.CONDITIONAL
    decision = ComparisonDecision.CONDITIONAL if is_condition else ComparisonDecision.TOO_NOISY
    return replace(measured, decision=decision, reason=f"{measured.reason}, {too_few.reason}")


def _reason(found: Counterexample) -> str:
    """In what two versions differ."""
    if found.rounding:
        return f"{found.rounding.words}: {found.line}"
    return f"{found.line}; {found.remark}" if found.remark else found.line
