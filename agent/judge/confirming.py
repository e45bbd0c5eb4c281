"""What a winner has to stand before it is offered: the same behaviour everywhere, and a gain that is one.

What counts comes in this order: the held-out calls; the confirmatory test of its gain, which most
fail that fail at all; all calls under other hash seeds, inputs made to find a difference, other circumstances (alone,
in another order, in another folder), the file's own `__main__`, the project's tests and larger inputs; a gain that is
too good to be believed at once is measured again on larger inputs; and a language model that takes part is asked for
calls on which the two may differ. What is not timed is done beside the test, on other cores, and counts after it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.errors import ProposerError
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, Stage
from afterburner.agent.judge import behaviour
from afterburner.agent.judge.behaviour import Behaviour, Difference, failed
from afterburner.agent.judge.circumstances import Dependence
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import confirmation_of, detail_of, differs, unproven
from afterburner.agent.judge.first_calls import look_at_first_calls
from afterburner.agent.judge.first_items import later_items
from afterburner.agent.judge.input_gains import measure_real_calls, outweighed_calls, told_of_losses, told_of_made
from afterburner.agent.judge.instructions import INSTRUCTIONS, count_instructions
from afterburner.agent.judge.known_values import known_values, screen_on_made, without_gain, without_larger
from afterburner.agent.judge.larger_inputs import LargerLook, larger_calls
from afterburner.agent.judge.later_calls import look_at_later_calls
from afterburner.agent.judge.measuring.sampling import SampleFailedError
from afterburner.agent.judge.measuring.sequential import FIRST_LOOKS
from afterburner.agent.judge.offer_notes import notes_of
from afterburner.agent.judge.scaled_differences import difference_on_scaled
from afterburner.agent.judge.slower_on_larger import make_larger_inputs, on_larger_inputs
from afterburner.agent.judge.spent_tests import TESTS_USED_UP, SpentTests
from afterburner.agent.judge.verification.arguments import takes_arguments
from afterburner.agent.judge.verification.changed_lines import changed_statements, parameters_used
from afterburner.agent.judge.verification.made_inputs import Suggested
from afterburner.agent.judge.verification.outcome import SUGGESTED, Agreement, Counterexample
from afterburner.agent.judge.verification.reach import lines_in_words
from afterburner.agent.judge.verification.search import SHRINKING_S, DifferenceSearch, Least
from afterburner.agent.judge.whole_runs import WholeRunDifference
from afterburner.agent.types import Decision, Gain, HeldOut, Objective
from afterburner.agent.wording import format_beside, format_ratio
from afterburner.sandbox import Report, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.confirmation import Confirmation, Incumbent
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.input_gains import RealCalls
    from afterburner.agent.judge.known_values import Literal
    from afterburner.agent.judge.larger_inputs import LargerCalls
    from afterburner.agent.judge.measuring.sample_sources import Case
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.slower_on_larger import LargerGlances
    from afterburner.agent.types import WorkloadCall
    from afterburner.sandbox.sandbox import Sandbox

BLOCKS_TOLD = 4
SEARCH_S, SEARCH_ROUNDS, SEARCH_LEAST = 3.0, 3, 80  # for an input on which a promising candidate differs
PATIENCE = 5  # times as long as that, until the least number of inputs has agreed with a promising candidate
AGAIN_S = 10.0  # for sampling again who was screened beside a winner that is not better
HARD_TO_BELIEVE = 10.0  # a gain above this is measured again on larger inputs
FIRST_CALLS_S = 15.0  # for looking at the gain of calls that are the first of their process
LARGER_S = 15.0  # for making those inputs, and as long again for looking
LOOKING_S = 60.0  # at most, for a slow-down on larger inputs, which most winners do not have


@dataclass(slots=True)
class Confirming:
    """Confirms the winners of one run."""

    bench: Workbench
    judge: Judge
    deadline: Deadline
    on_event: OnEvent
    deterministic: bool = False  # whether instructions are counted, too
    tests: SpentTests = field(default_factory=SpentTests)  # of the run
    shrinking_s: float | None = None  # how long a counterexample is made smaller; None: as in a run
    on_search: OnEvent | None = None  # is told how far a search for a difference is
    searching_in: Sandbox | None = None  # where inputs are made and tried; None: in the bench's
    _search: DifferenceSearch = field(init=False)
    _taken: int = field(default=0, init=False)  # blocks of the last test

    def __post_init__(self) -> None:
        """Make the search, which keeps the inputs that it has made; several threads may use it."""
        self._search = self._new_search(replace(self.bench, sandbox=self.searching_in or self.bench.sandbox))

    def confirm(self, winner: Incumbent, original: Incumbent, sceptic: Callable[[], str] | None = None) -> Confirmation:
        """Whether the winner may be offered in place of the original, and why (not).

        Args:
            winner: the rewrite.
            original: what it is held against.
            sceptic: asks a language model for a snippet of calls on which the two may differ, once nothing else stands
                against an offer; a ProposerError says why there is none. None: no model takes part.

        Raises:
            SandboxInternalError: the sandbox itself failed.
        """
        bench, inputs = self.bench, self.bench.workload.held_out_count
        cases = bench.confirmed_cases()
        early, late = (cases, ()) if bench.by_cases else (cases[:1], cases[1:])
        report = self.failed(winner, early)
        if report is not None:
            return self._wrong(winner, original, report)
        with self._behaviour(winner).begun(late, for_offer=True, cpus=bench.cpus_beside()) as looks:
            comparison, held_out_gain = self._measure(winner, original)
            if self.deterministic:
                comparison = self._counted(comparison, held_out_gain, winner, original)
            held_out = HeldOut(inputs, passed=comparison.decision is not Decision.WRONG, gain=held_out_gain)
            if comparison.decision is not Decision.IMPROVED:
                return confirmation_of(winner, original, comparison, held_out)
            real, told = self._on_real_calls(comparison, winner)
            # What they do not show is told in the headline.
            of_inputs = [told if real else "", told_of_losses(bench, self.judge.objective, comparison)]
            announced = replace(comparison, gain=real.gain) if real is not None else comparison
            # Timed, too, so it comes before what needs no quiet core, unless that has come to its end.
            as_used, used = (comparison, []) if looks.is_refuted() else self._as_used(comparison, winner)
            self._report(EventKind.COMPARING_BEHAVIOUR)
            searched, glances = looks.ended()
        if not isinstance(searched, Agreement):
            return self._differing(searched, winner, original, announced, held_out)
        too_few = self.unproven(searched, winner, original, announced.gain)
        if too_few is not None:
            return confirmation_of(winner, original, replace(too_few, figure=comparison.figure), held_out)
        look = LargerLook(comparison)
        if comparison.gain is not None:
            held = self._values_held(winner)
            look = self.on_larger_inputs(comparison, comparison.gain, winner, held=held, glances=glances)
            comparison = as_used if look.comparison.decision is Decision.IMPROVED else look.comparison
            comparison = self._unless_slower_on_larger(comparison, winner, glances)
        held_out = replace(held_out, passed=comparison.decision is not Decision.WRONG)
        notes = notes_of(winner, original, searched, comparison) if bench.target.language == PYTHON else []
        if comparison.decision is Decision.IMPROVED:
            notes = [*notes, *filter(None, of_inputs), *used, *self._lines_brought(winner, original)]
        if sceptic is not None and comparison.decision is Decision.IMPROVED:
            doubted = self._doubted(winner, sceptic)
            if isinstance(doubted, Counterexample):
                return self._differing(doubted, winner, original, announced, held_out)
            notes.append(doubted)
        confirmation = confirmation_of(winner, original, comparison, held_out, look.example)
        confirmation = replace(confirmation, real=real, on_real_calls="" if real is not None else told)
        return replace(confirmation, notes=notes, larger_inputs=look.told, caveat=searched.caveat)

    def _on_real_calls(self, comparison: Comparison, winner: Incumbent) -> tuple[RealCalls | None, str]:
        """The real calls if their gain is the one to announce; what to tell of them, or of made inputs, beside it."""
        gain, outweighed = comparison.gain, outweighed_calls(self.bench, self.judge.objective, comparison)
        if outweighed is None or gain is None:
            return None, ""
        if self.deterministic:  # instructions are counted on all calls alike
            return None, outweighed.told
        real = measure_real_calls(self.bench, self.judge, winner.source, outweighed, self.deadline)
        if real is None or not real.shows(gain, 1 + self.judge.min_effect):
            return None, outweighed.told
        return real, told_of_made(gain, outweighed)

    def unproven(
        self, agreed: Agreement, winner: Incumbent, original: Incumbent, gain: Gain | None = None
    ) -> Comparison | None:
        """What is left of a gain where the inputs on which no difference was found are too few; None: they are not."""
        made = agreed.made(set(self.bench.workload.origins())) if takes_arguments(self.bench) else None
        changed = changed_statements(self.bench.target, original.source, winner.source, agreed.unreached)
        needed = parameters_used(self.bench.target, original.source, winner.source, agreed.never_given)
        return unproven(agreed, gain, behaviour.OFFER_LEAST, unreached=changed, made=made, needed=needed)

    def unless_reached(self, winners: Sequence[Incumbent], original: Incumbent) -> set[str]:
        """Of several winners, the ids of those that could only be offered on a condition, as far as is known yet.

        They change lines that no input so far reaches.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        if self.deadline.passed():
            return set()
        unreached = self._search.unreached_lines_so_far()
        target = self.bench.target
        return {
            winner.id
            for winner in winners
            if unreached and changed_statements(target, original.source, winner.source, unreached)
        }

    def _lines_brought(self, winner: Incumbent, original: Incumbent) -> list[str]:
        """What to tell of lines of the rewrite that no input is known to reach."""
        if self.deadline.passed():
            return []
        unreached = self._search.unreached_lines_after(winner.source)
        brought = changed_statements(self.bench.target, winner.source, original.source, unreached)
        if not brought:
            return []
        return [f"no input is known to reach {lines_in_words(brought)} of the file with the rewrite in it"]

    def _doubted(self, winner: Incumbent, sceptic: Callable[[], str]) -> Counterexample | str:
        """A call that a model suggests and that shows a difference, or what to tell of its suggestions."""
        try:
            snippet = sceptic()
        except ProposerError as error:
            return f"the model gave no calls on which the two may differ: {error}"
        found = self._behaviour(winner).on_suggested(Suggested(snippet, SUGGESTED))
        if isinstance(found, Counterexample):
            return found
        return f"a model was asked for calls on which the two may differ: {found.told_of_suggested}"

    def _differing(
        self,
        found: Counterexample | Report | Dependence | WholeRunDifference,
        winner: Incumbent,
        original: Incumbent,
        comparison: Comparison,
        held_out: HeldOut,
    ) -> Confirmation:
        """The confirmation of a winner with a gain that does something else than the original."""
        match found:
            case Counterexample():
                said = replace(differs(found, comparison.gain), figure=comparison.figure)
                return confirmation_of(winner, original, said, held_out, found)
            case Dependence():
                return confirmation_of(winner, original, Comparison(Decision.REFUSED, found.reason), held_out)
            case WholeRunDifference():
                verdict = Verdict.WRONG_ANSWER if found.decision is Decision.WRONG else None
                figure = comparison.figure
                said = Comparison(found.decision, found.reason, comparison.gain, verdict=verdict, figure=figure)
                return confirmation_of(winner, original, said, held_out)
            case Report():
                return self._wrong(winner, original, found)

    def behaves(self, winner: Incumbent, late: Sequence[Case], *, by_cost: bool = True) -> Agreement | Difference:
        """Whether the winner does the same on these cases, on inputs made for it, in other circumstances, and whole.

        Args:
            winner: or the other version of a comparison.
            late: the cases of the workload that it was not yet judged on.
            by_cost: whether a whole run of the program must not need more CPU time.

        Returns:
            How far no difference was found; else an input on which it differs, the report of cases that are not
            right, what it depends on, or what a run of the whole program shows.
        """
        with self._behaviour(winner).begun(late, by_cost=by_cost) as looks:
            return looks.ended()[0]

    def agrees_further(self, winner: Incumbent) -> Agreement | Difference:
        """What the search for a difference comes to that `behaves` began, with all the time that is left."""
        return self._behaviour(winner).searched_further()

    def _behaviour(self, winner: Incumbent) -> Behaviour:
        too_good = winner.ratio > HARD_TO_BELIEVE
        return Behaviour(self.bench, self.judge, self.deadline, self._search, winner.source, too_good)

    def failed(self, winner: Incumbent, cases: Sequence[Case]) -> Report | None:
        """The report of cases that are not all right, None if they are."""
        return failed(self.bench, winner.source, cases)

    def _wrong(self, winner: Incumbent, original: Incumbent, report: Report) -> Confirmation:
        """The confirmation of a winner whose calls are not right."""
        found = self.difference(winner.source, self.deadline, 0, self.bench.workload.calls_in_order())
        reason = found.rounding.words if found and found.rounding else detail_of(report)
        failed = Comparison(Decision.WRONG, f"when confirmed: {reason}", verdict=report.verdict)
        held_out = HeldOut(self.bench.workload.held_out_count, passed=False, gain=None)
        return confirmation_of(winner, original, failed, held_out, found)

    def sampled_again(self, winners: Sequence[Incumbent], original: Incumbent, attempt: int) -> list[Comparison]:
        """What screening says of these by samples of their own, as far as there is time.

        The first time they shared samples of the original with one that was not better after all. `attempt` is how
        often that has happened, from 1: each takes other samples.
        """
        self._report(EventKind.SAMPLING_AGAIN, count=len(winners))
        sources = [winner.source for winner in winners]
        source, _ = self.bench.block_source(original.source, sources, self.judge.objective, held_out=False)
        return self.judge.screen(source, self.deadline.within(AGAIN_S), attempt=attempt)

    def difference(
        self, source: str, until: Deadline, rounds: int, real_calls: Sequence[WorkloadCall] = ()
    ) -> Counterexample | None:
        """An input on which this source differs from the original, among real calls and so many rounds of made ones."""
        least = Least(SEARCH_LEAST, self.deadline.within(PATIENCE * SEARCH_S)) if rounds else None
        found = self._search.against(source, until, real_calls=real_calls, rounds=rounds, least=least)
        return found if isinstance(found, Counterexample) else None

    def make_inputs(self) -> None:
        """Make what has to be made of the original alone before an offer, in a thread of its own.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        self._search.make_inputs(behaviour.OFFER_LEAST, self.deadline)
        bench = replace(self.bench, sandbox=self.searching_in or self.bench.sandbox)
        make_larger_inputs(bench, self.judge, self.deadline.within(LOOKING_S))

    @property
    def search(self) -> DifferenceSearch:
        """What looks for differences, for all winners of the run."""
        return self._search

    def _searching_on(self, bench: Workbench) -> DifferenceSearch:
        """The search of this run, or another one on a bench that states more assumptions."""
        return self._search if bench is self.bench else self._new_search(bench)

    def _new_search(self, bench: Workbench) -> DifferenceSearch:
        shrinking_s = SHRINKING_S if self.shrinking_s is None else self.shrinking_s
        return DifferenceSearch(bench, bench.target.source, self.judge.seed, self.on_search, shrinking_s)

    def _measure(self, winner: Incumbent, original: Incumbent) -> tuple[Comparison, Gain | None]:
        if self.tests.used_up:
            return Comparison(Decision.REFUSED, TESTS_USED_UP), None
        source, held_out_from = self.bench.block_source(
            original.source, [winner.source], self.judge.objective, held_out=True
        )
        self._taken = 0
        return self.judge.confirm(
            source,
            self.deadline,
            held_out_from=held_out_from,
            attempt=self.tests.begun,
            on_blocks=self._on_blocks,
            names=self._names_of_inputs(),
        )

    def _names_of_inputs(self) -> list[str]:
        """What to call the inputs of a test of time; empty where samples are of whole processes."""
        bench = self.bench
        if bench.by_cases or bench.other_environment is not None or self.judge.objective is not Objective.TIME:
            return []
        return [call.description for call in bench.timed_calls()]

    def _counted(
        self, comparison: Comparison, held_out_gain: Gain | None, winner: Incumbent, original: Incumbent
    ) -> Comparison:
        """The comparison as instruction counts decide it, where the clock does not object."""
        if comparison.gain is None or comparison.decision in (Decision.WRONG, Decision.REFUSED):
            return comparison
        self._report(EventKind.COUNTING_INSTRUCTIONS)
        cases = [case for part in (False, True) for case in self.bench.timed_cases(self.judge.objective, held_out=part)]
        try:
            counts = count_instructions(self.bench, original.source, winner.source, cases, self.deadline)
        except SampleFailedError as error:
            reason = f"when its instructions were counted: {error.detail}"
            return replace(comparison, decision=Decision.REFUSED, reason=reason)
        needed = 1 + self.judge.min_effect
        fewer, least = format_beside((counts.ratio,), needed)
        told = f"{fewer} fewer instructions ({counts.before:,} before, {counts.after:,} after)"
        if counts.ratio <= needed:
            reason = f"{told}, needed above {least}"
            return replace(comparison, decision=Decision.NOT_BETTER, reason=reason)
        slower = f"by the clock it is {comparison.reason}" if comparison.gain.high < 1 else ""
        objection = slower or self._objection_of_clock(comparison, held_out_gain, winner, original)
        if objection:
            return replace(comparison, decision=Decision.NOT_BETTER, reason=f"{told}, but {objection}")
        gain = Gain(counts.ratio, counts.ratio, counts.ratio, confidence=1.0, pairs=1)
        decided = replace(comparison, decision=Decision.IMPROVED, reason=told, gain=gain)
        return replace(decided, by_size=None, figure=INSTRUCTIONS)

    def _objection_of_clock(
        self, comparison: Comparison, held_out_gain: Gain | None, winner: Incumbent, original: Incumbent
    ) -> str | None:
        source, _ = self.bench.block_source(original.source, [winner.source], self.judge.objective, held_out=True)
        fresh = partial(self.judge.fresh_blocks, source, len(comparison.blocks), self.deadline)
        try:
            return self.judge.objection(comparison.blocks, held_out_gain, fresh)
        except SampleFailedError as error:
            return f"when measured again: {error.detail}"

    def _values_held(self, winner: Incumbent) -> list[Literal]:
        """Values of the workload that the winner's text holds and the original's does not, where time is measured."""
        if self.bench.by_cases or self.judge.objective is not Objective.TIME:
            return []
        return known_values(self.bench, winner.source)

    def on_larger_inputs(
        self,
        comparison: Comparison,
        gain: Gain,
        winner: Incumbent,
        *,
        held: Sequence[Literal] = (),
        glances: LargerGlances | None = None,
    ) -> LargerLook:
        """The comparison again, or what larger inputs make of it; and what to tell of them.

        However small its gain, a winner that holds values of the workload has to show it there, or on made inputs. One
        run is enough where it shows the gain plainly.
        """
        if (gain.ratio <= HARD_TO_BELIEVE and not held) or self.judge.objective is not Objective.TIME:
            return LargerLook(comparison)
        plainly = glances.plain_gain(1 + self.judge.min_effect) if glances is not None else ""
        return LargerLook(comparison, plainly) if plainly else self._measured_on_larger(comparison, gain, winner, held)

    def _measured_on_larger(
        self, comparison: Comparison, gain: Gain, winner: Incumbent, held: Sequence[Literal]
    ) -> LargerLook:
        self._report(EventKind.MEASURING_LARGER_INPUTS, ratio=gain.ratio)
        until = self.deadline.within(2 * LARGER_S)
        larger = self._larger(self.bench, until)
        if not larger.calls:
            made = self._search.made.values() if held else ()
            again = screen_on_made(self.bench, self.judge, winner.source, made, until)
            return without_larger(comparison, again, held, 1 + self.judge.min_effect, larger.note)
        bench = self.bench.with_time_for(larger.calls)
        source = bench.source_of_calls(bench.target.source, [winner.source], larger.calls)
        [again] = self.judge.screen(source, until)
        if again.decision is Decision.WRONG:
            return self._differing_on_larger(comparison, again, larger, winner, until=until)
        if again.gain is not None and again.gain.ratio <= 1 + self.judge.min_effect:
            return LargerLook(without_gain(comparison, again.gain, larger.size, held))
        if again.gain is None:
            return LargerLook(comparison, f"not measured again on larger inputs: {again.reason}")
        return LargerLook(comparison, f"measured again on {larger.size}: {format_ratio(again.gain.ratio)}")

    def _larger(self, bench: Workbench, until: Deadline) -> LargerCalls:
        return larger_calls(bench, bench.workload.calls_in_order(), most_s=min(LARGER_S, until.left_s() / 2))

    def _differing_on_larger(
        self, comparison: Comparison, again: Comparison, larger: LargerCalls, winner: Incumbent, *, until: Deadline
    ) -> LargerLook:
        """What a comparison comes to that does not hold on larger inputs, as `again` says."""
        found = None
        if again.verdict is not Verdict.TIME_LIMIT:
            place = (self._searching_on, self.bench, winner.source, larger.calls)
            found = difference_on_scaled(*place, lambda bench: self._larger(bench, until).calls, until=until)
        if found is None or found.timed_out:
            what = "reaches the time limit" if again.verdict is Verdict.TIME_LIMIT else "differs"
            reason = f"on {larger.size} it {what}: {again.reason}"
            return LargerLook(replace(comparison, decision=Decision.WRONG, reason=reason, verdict=again.verdict))
        said = differs(found, comparison.gain)
        reason = said.reason if found.provided else f"on {larger.size}, {_difference_in_words(found)}"
        return LargerLook(replace(comparison, decision=said.decision, reason=reason, verdict=said.verdict), "", found)

    def _as_used(self, comparison: Comparison, winner: Incumbent) -> tuple[Comparison, list[str]]:
        """The comparison of calls that are the first of their process, and of items as far as they are taken; notes."""
        bench, gain = self.bench, comparison.gain
        if gain is None or self.judge.objective is not Objective.TIME or bench.by_cases:
            return comparison, []
        self._report(EventKind.MEASURING_AS_USED)
        until = self.deadline.within(FIRST_CALLS_S)
        first = look_at_first_calls(bench, self.judge, winner.source, gain, until)
        if first.objection:
            return replace(comparison, decision=Decision.REFUSED, reason=first.objection), []
        until = self.deadline.within(FIRST_CALLS_S)
        reason = later_items(bench, self.judge, winner.source, bench.timed_calls(), until)
        if reason is not None:
            return replace(comparison, decision=Decision.NOT_BETTER, reason=reason), []
        until = self.deadline.within(FIRST_CALLS_S)
        later = look_at_later_calls(bench, self.judge, winner.source, gain, until)
        if later.objection:
            return replace(comparison, decision=Decision.NOT_BETTER, reason=later.objection), []
        return comparison, [*filter(None, (first.note, later.note))]

    def _unless_slower_on_larger(
        self, comparison: Comparison, winner: Incumbent, glances: LargerGlances | None
    ) -> Comparison:
        bench, until = self.bench, self.deadline.within(LOOKING_S)
        is_of_calls = self.judge.objective is Objective.TIME and not bench.by_cases
        if comparison.decision is not Decision.IMPROVED or comparison.gain is None or not is_of_calls:
            return comparison
        self._report(EventKind.MEASURING_LARGER_INPUTS)
        slower = on_larger_inputs(bench, self.judge, winner.source, until, glances)
        if slower is None or not slower.is_proven:
            return comparison
        return replace(comparison, decision=Decision.NOT_BETTER, reason=slower.words)

    def _on_blocks(self, taken: int, most: int) -> None:
        if self._taken < FIRST_LOOKS[0][0] <= taken:  # without a look there was nothing to err in
            self.tests.begin()
        self._taken = taken
        if taken % BLOCKS_TOLD == 0 and taken < most:
            self._report(EventKind.BLOCKS_TAKEN, count=taken, most=most)

    def _report(
        self, kind: EventKind, *, count: int | None = None, most: int | None = None, ratio: float | None = None
    ) -> None:
        self.on_event(ProgressEvent(kind=kind, stage=Stage.CONFIRM, count=count, most=most, ratio=ratio))


def _difference_in_words(found: Counterexample) -> str:
    return found.rounding.words if found.rounding is not None else "it differs from the original"
