"""Looks for an input on which a rewrite differs from the original, and shows the smallest that it finds."""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from afterburner.agent.code.data_names import data_names
from afterburner.agent.deadline import Deadline
from afterburner.agent.events import EventKind, OnEvent, ProgressEvent, ignore_event
from afterburner.agent.inputs.choosing import is_invented
from afterburner.agent.judge.verification.call_differences import Comparer, OutOfDateError
from afterburner.agent.judge.verification.made_inputs import Inputs, Round, Suggested
from afterburner.agent.judge.verification.mentions import new_mentions
from afterburner.agent.judge.verification.outcome import MADE_INPUTS, Agreement, Counterexample
from afterburner.agent.judge.verification.second_look import SecondLook
from afterburner.agent.judge.verification.shrinking import Shrinker
from afterburner.agent.types import Skipped
from afterburner.agent.wording import count
from afterburner.sandbox import CancelledError
from afterburner.sandbox.differences import render_outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from afterburner.agent.inputs.harness_answers import Assumption
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.verification.call_differences import Differing
    from afterburner.agent.types import WorkloadCall

Found = TypeVar("Found")

SMALL_BYTES = 1024  # a larger input is not made smaller before it is known whether a small one shows a difference, too
ROUNDS_FOR_SMALLER = 2
MOST_ASSUMED = 5  # assumptions that a rewrite may need together
CROSSED = "a difference with arguments of real calls"  # the kind of inputs that `inside/crossed_calls.py` makes
MOST_RULES = 6  # the same with rules of the contract
SHRINKING_S = 4.0  # beyond the deadline of the search: a difference is found once
LATE_ONCE = "it reached the time limit there, and not when that was tried again: the machine may have been busy"
LEAST_FIT = 0.5  # of a made round, whose objects another version's constructor can make
ENOUGH_PROVIDED = 100  # made inputs that keep to a condition: with fewer, nothing is known of it if the time is over


@dataclass(frozen=True, slots=True)
class Least:
    """How many inputs have to agree, as far as so many can be made, and until when that is tried."""

    inputs: int
    until: Deadline


class DifferenceSearch:
    """Compares rewrites of one function with the original on inputs that were made for it.

    Args:
        bench: the target, its workload, and where to run it. Inputs are made from those calls that selection may see.
        original_source: the whole text of the original's file.
        seed: the inputs are the same for the same seed.
        on_event: is told how far it is.
        shrinking_s: how long a difference that was found is made smaller.
    """

    def __init__(
        self,
        bench: Workbench,
        original_source: str,
        seed: int,
        on_event: OnEvent | None = None,
        shrinking_s: float = SHRINKING_S,
    ) -> None:
        self._on_event, self._shrinking_s = on_event or ignore_event, shrinking_s
        self._by_cases = bench.by_cases
        self.made: dict[bytes, WorkloadCall] = {}  # all inputs on which some rewrite agreed
        target = replace(bench.target, source=original_source)
        place = (bench.sandbox, target, bench.environment, bench.limits)
        tolerance, clock = bench.workload.float_tolerance, bench.workload.fixed_clock
        self._comparer = Comparer(
            *place, tolerance, clock, other_environment=bench.other_environment, writes_tests=bench.writes_tests
        )
        names = None if self._by_cases else data_names(original_source)
        self._assume = bench.workload.assume
        self._more = bench.workload.more_calls
        calls, held_out = bench.workload.calls, (*bench.workload.held_out_calls, *self._more)
        self._new_inputs = partial(Inputs, *place, calls, seed, tolerance, clock, names, held_out_calls=held_out)
        self._known_inputs: dict[tuple[str, ...], Inputs] = {}
        # Where a rewrite is known to agree: its text, what is assumed, and the number of a round.
        self._agreed: set[tuple[str, tuple[str, ...], int | None]] = set()
        self._is_dropped = threading.Event()
        self._compared: dict[str, int] = {}  # by a rewrite's text: the rounds that it was compared on

    @contextmanager
    def droppable(self) -> Iterator[Callable[[], None]]:
        """Give a function that lets a search in another thread end with a CancelledError, before its next inputs.

        What has been made by then is kept, and searches can begin again after the block.
        """
        try:
            yield self._is_dropped.set
        finally:
            self._is_dropped.clear()

    def stop_at_once(self) -> None:
        """End what the search runs, in any thread. It is of no use afterwards."""
        self._comparer.sandbox.stop()

    def make_inputs(self, least: int, deadline: Deadline) -> None:
        """Make inputs for searches to come until there are `least`, or no more can be made: in a thread of its own.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        if self._by_cases:
            return
        inputs, made = self._inputs_for(self._assume), 0
        for every in inputs.rounds(deadline):
            made += len(every.calls)
            if made >= least or len(self._known_inputs) > 1:  # a search goes on under more assumptions
                break
        inputs.real_calls()

    def against(
        self,
        candidate_source: str,
        deadline: Deadline,
        *,
        real_calls: Sequence[WorkloadCall] = (),
        rounds: int | None = None,
        least: Least | None = None,
        effects_of_real_calls: bool = False,
        once_more: bool = False,
    ) -> Counterexample | Agreement:
        """Compare until a difference is found, the deadline is over, or nothing new comes up.

        Args:
            candidate_source: the whole text of the file with the rewrite in place.
            deadline: of the search: after the first made round none is begun of which less than half would come
                before it, if it took as long as the one before. A difference that was found is made smaller for some
                seconds more.
            real_calls: what to compare on first: calls of the workload, in the order in which they are to be made.
            rounds: of made inputs, at most. Those of earlier searches come first and cost little.
            least: what an agreement is worth nothing without, however late it becomes.
            effects_of_real_calls: whether some real calls are made once more to compare what they do beside
                returning, as is always done for made inputs, and all others that were recorded to compare at all.
            once_more: whether inputs that an earlier search has compared on are compared on again.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        if self._by_cases:
            reason = "inputs are made for functions; a whole program is compared on its cases alone"
            return Agreement((), (Skipped("made inputs", reason),), exhausted=True)
        rest = partial(self._against, candidate_source, deadline, rounds=rounds, least=least, once_more=once_more)
        first = partial(rest, self._assume, real_calls=real_calls, effects_of_real_calls=effects_of_real_calls)
        # A look of few rounds goes on with a condition that little was tried with: a later one settles it.
        enough = 0 if least is None or rounds is not None else min(least.inputs, ENOUGH_PROVIDED)
        beyond = partial(self.beyond_real_calls, candidate_source)
        return self._up_to_date(lambda: self._provided(first(), rest, beyond, enough))

    def unreached_lines(self, candidate_source: str) -> tuple[int, ...]:
        """Lines of the original that no input reaches on which this rewrite was compared; see `reach.unreached_lines`.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        if self._by_cases:
            return ()
        return self._inputs_for(self._assume).unreached(self._compared.get(candidate_source, 0))

    def unreached_lines_so_far(self) -> tuple[int, ...]:
        """Lines of the original that no real call and no made input reaches, as far as a short look tells.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        return () if self._by_cases else self._inputs_for(self._assume).unreached_so_far()

    def unreached_lines_after(self, candidate_source: str) -> tuple[int, ...]:
        """The same of a rewrite's function. Its own process reports this, so it is fit for a note only.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        if self._by_cases:
            return ()
        environment = self._comparer.other_environment or self._comparer.environment
        mentions = new_mentions(self._comparer.target.source, candidate_source)
        inputs = self._inputs_for(self._assume)
        rounds = self._compared.get(candidate_source, 0)
        return inputs.unreached_after(candidate_source, environment, mentions, rounds)

    def beyond_real_calls(self, candidate_source: str, assume: tuple[str, ...] | None = None) -> Counterexample | None:
        """A difference on elements of kinds that neither a hint nor a real call has: one that is told, not counted.

        Code without hints mostly means the kinds that it is called with, and nothing says so. So whoever takes a
        rewrite which needs elements that can be hashed, or put in order, has to know.

        Args:
            candidate_source: as above.
            assume: what the elements keep to besides; None: what is stated of every input.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        assume = self._assume if assume is None else assume
        made = None if self._by_cases else self._inputs_for(assume).unhinted()
        if made is None or not made.calls:
            return None
        comparer = replace(self._comparer, known_names=made.known_names, assume=assume)
        try:
            found = comparer.first_difference(candidate_source, made.calls)
        except OutOfDateError:
            return None  # it would only be told
        if found is None or not found.may_shrink:
            return None
        showing = self._inputs_for(assume).starting_from()
        return Shrinker(comparer, candidate_source, Deadline.after(self._shrinking_s), showing).shrink(found)

    def against_suggested(
        self, candidate_source: str, suggested: Suggested, deadline: Deadline, *, rounds: int
    ) -> Counterexample | Agreement:
        """Compare on the calls of a snippet that somebody suggests, as far as they are inputs of the function.

        Args:
            candidate_source: as above.
            suggested: Python that makes calls; it runs in the sandbox, on the original alone.
            deadline: of the search for what else differs, where a difference breaks an assumption.
            rounds: of made inputs in that search.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        # Whether a condition is the right one, the search without suggestions tells: no number of inputs is asked for.
        search = partial(self._against, candidate_source, deadline, least=None, suggested=suggested)
        rest = partial(search, rounds=rounds)
        beyond = partial(self.beyond_real_calls, candidate_source)
        return self._up_to_date(lambda: self._provided(search(self._assume, rounds=0), rest, beyond))

    def _up_to_date(self, search: Callable[[], Found]) -> Found:
        """What a search finds; a second time, with inputs made anew, if what is kept of the original does not hold."""
        try:
            return search()
        except OutOfDateError:
            known = self._comparer.sandbox.known
            if known is None:
                raise
            known.renew()
            self._known_inputs, self._agreed, self._compared, self.made = {}, set(), {}, {}
            return search()

    def _provided(
        self,
        found: Counterexample | Agreement,
        rest: Callable[..., Counterexample | Agreement],
        beyond: Callable[[tuple[str, ...]], Counterexample | None],
        enough: int = 0,
    ) -> Counterexample | Agreement:
        """What was found, with what has to be assumed so that the rest of a search finds no difference.

        It has to have been long enough to tell: with at least `enough` inputs, or all that can be made.

        Beyond the contract that is the rule of it which the input breaks. A rewrite that differs only there is never
        wrong: if it takes too many rules, the rest of the search keeps to the contract altogether. What a type hint
        rules out takes no assumption: the hint states it, so the rest keeps to the hints.

        An assumption that an input breaks need not be why it shows a difference. If it shows one with real arguments in
        the place of those that break it, too, another assumption takes its place. And if values of other kinds than the
        real ones show a difference that keeps to it, that rule of the contract joins it: by itself it would be false.
        """
        inputs = self._inputs_for(self._assume)
        provided: list[Assumption] = []
        first, beyond_hints = None, None
        only_within = False
        crossing: tuple[bytes, ...] = ()
        plain: list[Assumption] = []  # all that were tried and are no rules of the contract
        beside_the_point: set[str] = set()  # expressions of those that another one took the place of
        while isinstance(found, Counterexample) and found.blobs and not found.on_real_call:
            rule = inputs.rule_broken_by(found.blobs) if len(provided) < MOST_RULES else None
            fitting: Sequence[bytes] = ()
            if rule is not None and rule.by_hint and beyond_hints is None:
                beyond_hints, fitting = found, found.blobs
            else:
                only_within = only_within or (rule is not None and len(provided) >= MOST_ASSUMED)
                may_replace = provided and len(beside_the_point) < MOST_ASSUMED  # rules are told in ever other words
                if found.kind == CROSSED and may_replace and provided[-1].expression not in beside_the_point:
                    beside_the_point.add(provided.pop().expression)
                    first = found  # what showed the difference before may keep to what takes its place
                broken = rule or self._assumption_broken_by(found, len(plain))
                if broken is None:
                    return found
                if rule is None:
                    plain.append(broken)
                crossing = (*crossing, *found.blobs)
                first = first or found
                provided.append(broken)
            assume = (*self._assume, *(each.expression for each in provided))
            keeps_hints = beyond_hints is not None
            within = {"only_within": only_within, "keeps_hints": keeps_hints}
            found = rest(assume, **within, fitting=fitting, crossing=crossing)
        if isinstance(found, Counterexample) or first is None:
            return replace(found, beyond_hints=beyond_hints) if isinstance(found, Agreement) else found
        needs_inputs = any(each in plain for each in provided)
        if needs_inputs:
            provided += self._rules_beside(beyond, provided)
        if needs_inputs and not found.inputs:
            return first
        provided_first = replace(first, provided=tuple(provided), inputs_provided=found.inputs)
        if needs_inputs and not found.exhausted and found.inputs < enough:
            return replace(first, remark=provided_first.undecided_condition)
        return provided_first

    def _rules_beside(
        self, beyond: Callable[[tuple[str, ...]], Counterexample | None], provided: Sequence[Assumption]
    ) -> list[Assumption]:
        """The rule of the contract that a difference breaks although it keeps to all of these, if there is one."""
        also = beyond((*self._assume, *(each.expression for each in provided)))
        rule = None if also is None else self._inputs_for(self._assume).rule_broken_by(also.blobs)
        return [] if rule is None else [rule]

    def _assumption_broken_by(self, found: Counterexample, assumed: int) -> Assumption | None:
        """What holds in every real call and not in the one that was found; `assumed` were tried before it."""
        if found.timed_out or len(found.blobs) != 1 or assumed >= MOST_ASSUMED:
            return None
        return self._inputs_for(self._assume).assumption_broken_by(found.blobs[0], found.larger_blobs[-1])

    def _inputs_for(self, assume: tuple[str, ...]) -> Inputs:
        if assume not in self._known_inputs:
            self._known_inputs.setdefault(assume, self._new_inputs(assume))  # another thread may be as far
        return self._known_inputs[assume]

    def _against(
        self,
        candidate_source: str,
        deadline: Deadline,
        assume: tuple[str, ...],
        *,
        rounds: int | None,
        least: Least | None,
        real_calls: Sequence[WorkloadCall] = (),
        effects_of_real_calls: bool = False,
        once_more: bool = False,
        suggested: Suggested | None = None,
        only_within: bool = False,
        keeps_hints: bool = False,
        fitting: Sequence[bytes] = (),
        crossing: Sequence[bytes] = (),
    ) -> Counterexample | Agreement:
        """The same on inputs that keep to these assumptions, without asking which of them a difference breaks.

        With `only_within`, made inputs beyond the contract are left out; with `keeps_hints`, those beyond type hints.
        What `fitting` holds comes first, made to fit them, and what `crossing` holds, with real arguments where it
        breaks an assumption.
        """
        inputs = self._inputs_for(assume)
        agreed: dict[bytes, str] = {}  # origins by blob: a real call may be made twice
        started_s = time.monotonic()
        mentions = new_mentions(self._comparer.target.source, candidate_source)
        latest = deadline if least is None else least.until
        first = [Round(real_calls, None, is_real=True)] if real_calls else []
        first += [Round(self._more, None, is_real=True)] if self._more and effects_of_real_calls else []
        first += [inputs.real_calls()] if effects_of_real_calls else []
        first += [inputs.suggested(suggested)] if suggested else []
        first += [inputs.fitting(fitting)] if fitting else []
        first += [inputs.crossed(crossing)] if crossing else []
        compared = unfit = 0
        for every in chain(first, inputs.rounds_for(mentions, latest, rounds, self._is_dropped.is_set)):
            if self._is_dropped.is_set():
                raise CancelledError
            if every.number is not None:
                compared = every.number + 1
                if assume == self._assume:
                    self._compared[candidate_source] = max(self._compared.get(candidate_source, 0), compared)
            made = every.within(hints_alone=not only_within) if only_within or keeps_hints else every
            if not made.calls:
                continue
            comparer = replace(self._comparer, known_names=made.known_names, assume=assume)
            seen = candidate_source, assume, made.number
            is_known = seen in self._agreed and not once_more
            found = None if is_known else comparer.first_difference(candidate_source, made.calls)
            if found is not None and found.unfit:
                unfit += len(found.unfit_calls)
                made, found = _where_fit(candidate_source, made, comparer, found)
            if found is not None:
                return self._told(candidate_source, found, made, comparer, agreed=len(agreed))
            if made.number is not None:
                self._agreed.add(seen)
            agreed |= {call.blob: call.origin for call in made.calls}
            self.made |= {} if made.is_real else {call.blob: call for call in made.calls}
            self._on_event(ProgressEvent(kind=EventKind.AGREED, count=len(agreed)))
            begun_s, started_s = started_s, time.monotonic()
            enough = least is None or len(agreed) >= least.inputs
            is_first = every.calls is real_calls or every.calls is self._more
            if enough and not is_first and (started_s - begun_s) / 2 > deadline.left_s():
                break
        origins = tuple(Counter(agreed.values()).most_common())
        skipped = (*inputs.skipped, *_told_unfit(unfit))
        exhausted = inputs.exhausted and compared >= inputs.made  # another thread may have made more than were compared
        unvaried, never_given = inputs.unvaried(compared), inputs.never_given(compared)
        return Agreement(origins, skipped, exhausted=exhausted, unvaried=unvaried, never_given=never_given)

    def _told(self, source: str, found: Differing, made: Round, comparer: Comparer, *, agreed: int) -> Counterexample:
        """What is told of a difference, on the smallest input; `agreed` is on how many both have done the same."""
        if found.unfit:
            return _unanswered(found)
        self._on_event(ProgressEvent(kind=EventKind.SHRINKING))
        shrunk = self._shrunk(source, found, comparer, keeps_within=not made.is_real)
        rounding = None
        if found.only_floats and comparer.float_tolerance is None:
            rounding = SecondLook(comparer, source, made.calls, found.hash_seed).rounding(equal=agreed)
        on_real_call = made.is_real and not is_invented(shrunk.kind)
        larger = tuple(call.blob for call in found.calls)
        remark = LATE_ONCE if shrunk.is_late_once else ""
        return replace(shrunk, on_real_call=on_real_call, rounding=rounding, larger_blobs=larger, remark=remark)

    def _shrunk(self, source: str, found: Differing, comparer: Comparer, *, keeps_within: bool) -> Counterexample:
        """The difference on a smaller input; made inputs are small to begin with.

        With `keeps_within`, one within the contract, or the type hints, is not made smaller than that allows; one
        beyond it breaks no other rule than before, or that would be taken for the reason of the difference.
        """
        inputs = self._inputs_for(comparer.assume)
        # A difference beyond those that a condition leaves out is one of several: time for the others counts more.
        longest_s = self._shrinking_s if comparer.assume == self._assume else min(self._shrinking_s, SHRINKING_S)
        until = Deadline.after(longest_s)
        if len(found.calls[-1].blob) > SMALL_BYTES and found.may_shrink:
            for every in islice(inputs.rounds(until), ROUNDS_FOR_SMALLER):
                made = every if found.is_ruled_out else every.within(hints_alone=found.is_probing)
                other = replace(comparer, known_names=made.known_names)
                smaller = other.first_difference(source, made.calls)
                if smaller is not None and len(smaller.calls[-1].blob) < len(found.calls[-1].blob):
                    found, comparer = smaller, other
                    break
        shrunk = Shrinker(comparer, source, until, inputs.starting_from()).shrink(found)
        if not keeps_within or found.is_ruled_out or not shrunk.shrink_steps:
            return shrunk
        rule = inputs.rule_broken_by(shrunk.blobs)
        if rule is None:
            return shrunk
        before = inputs.rule_broken_by([call.blob for call in found.calls]) if found.is_probing else None
        if before is not None and before.expression == rule.expression:
            return shrunk
        stricter = replace(comparer, assume=(*comparer.assume, rule.expression))
        return Shrinker(stricter, source, Deadline.after(longest_s), inputs.starting_from()).shrink(found)


def _where_fit(source: str, made: Round, comparer: Comparer, found: Differing) -> tuple[Round, Differing | None]:
    """What is found on those calls of a made round whose objects another version's constructor can make.

    The word on which these are comes from the rewrite's own process, so most of a round has to be left.
    """
    fit = made.without(found.unfit_calls)
    if made.is_real or len(fit.calls) < LEAST_FIT * len(made.calls):
        return made, found
    return fit, comparer.first_difference(source, fit.calls)


def _told_unfit(inputs: int) -> Iterator[Skipped]:
    if inputs:
        are = f"{count(inputs, 'input')}: the other version's constructor cannot make the objects in"
        yield Skipped(MADE_INPUTS, f"{are} {'it' if inputs == 1 else 'them'}")


def _unanswered(found: Differing) -> Counterexample:
    """What is told of calls that could not be made: no assumption can be what they break."""
    last = found.calls[-1]
    return Counterexample(
        calls=(last.description,),
        expected=render_outcome(last.expected),
        actual=found.actual,
        difference=found.difference,
        kind=last.origin,
        blobs=(),
        hash_seed=found.hash_seed,
        unfit=found.unfit,
    )
