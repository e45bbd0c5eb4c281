"""Whether a rewrite behaves like the original: checks that need no quiet core, so they can run during a timed test."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from afterburner.agent.inputs.ahead import ahead
from afterburner.agent.judge.circumstances import Dependence, find_dependence
from afterburner.agent.judge.early_ends import find_early_end
from afterburner.agent.judge.slower_on_larger import LargerGlances, glance_at_larger_inputs
from afterburner.agent.judge.verification.exploring import Exploration, explore
from afterburner.agent.judge.verification.made_inputs import Suggested
from afterburner.agent.judge.verification.outcome import EXPLORED, Agreement, Counterexample
from afterburner.agent.judge.verification.search import Least
from afterburner.agent.judge.whole_runs import WholeRunDifference, difference_of_whole_runs
from afterburner.sandbox import Report, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.inputs.ahead import Ahead
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.sample_sources import Case
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.verification.search import DifferenceSearch

Difference: TypeAlias = Counterexample | Report | Dependence | WholeRunDifference
_Found: TypeAlias = Agreement | Difference | Exploration | LargerGlances | None

# An offer needs so many inputs; making them may take all remaining time, and any number of rounds (None).
OFFER_S, OFFER_LEAST = 4.0, 800
OFFER_ROUNDS: int | None = None
SUGGESTED_ROUNDS = 24  # where a call that somebody suggests breaks an assumption


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The behaviour checks of one rewrite; `begun` starts them."""

    bench: Workbench
    judge: Judge
    deadline: Deadline
    search: DifferenceSearch
    source: str  # the text of the rewrite's whole file
    seems_too_good: bool = False  # whether its gain will have to show on larger inputs, however dear these are

    @contextmanager
    def begun(
        self, late: Sequence[Case], *, by_cost: bool = True, for_offer: bool = False, cpus: frozenset[int] = frozenset()
    ) -> Iterator[BegunLooks]:
        """Run the checks in the background while the block runs; none is still running after it.

        Args:
            late: the cases of the workload that the rewrite was not yet judged on.
            by_cost: whether a whole run of the program must not need more CPU time.
            for_offer: whether CrossHair searches, too, larger inputs are tried, and all the time that is left may go
                into made inputs.
            cpus: where to begin; none: all looks are done when they are asked for.
        """
        with self.bench.sandbox.branch() as branch, self.search.droppable() as drop_search:
            here = replace(self, bench=replace(self.bench, sandbox=branch))
            tasks: list[Callable[[], _Found]] = [partial(self._search, for_offer=for_offer)]
            tasks += here._looks(late, by_cost=by_cost, for_offer=for_offer)  # noqa: SLF001 - of our own class

            def stop() -> None:
                drop_search()
                branch.stop()

            at_once = len(branch.cpus)
            with ahead(tasks, cpus, stop, at_once=at_once, stop_at_once=self.search.stop_at_once) as work:
                yield BegunLooks(self, work)

    def searched_further(self) -> Agreement | Difference:
        """What a search comes to that goes on with what an earlier one of this rewrite has made, until the deadline."""
        return self.weighed([self._search_until(self.deadline, once_more=False)])

    def _search(self, *, for_offer: bool) -> Agreement | Counterexample:
        until = self.deadline if for_offer else self.deadline.within(self.deadline.left_s() / 2)
        return self._search_until(until, once_more=True)

    def _search_until(self, until: Deadline, *, once_more: bool) -> Agreement | Counterexample:
        return self.search.against(
            self.source,
            self.deadline.within(OFFER_S),
            rounds=OFFER_ROUNDS,
            least=Least(OFFER_LEAST, until),
            effects_of_real_calls=True,
            once_more=once_more,
        )

    def _looks(self, late: Sequence[Case], *, by_cost: bool, for_offer: bool) -> list[Callable[[], _Found]]:
        bench, original = self.bench, self.bench.target.source
        looks: list[Callable[[], _Found]] = [partial(failed, bench, self.source, (case,)) for case in late]
        salt = f"{self.judge.seed} {self.source}"
        looks.append(partial(find_dependence, bench, original, self.source, salt))
        looks.append(partial(find_early_end, bench, original, self.source))
        looks.append(partial(difference_of_whole_runs, bench, self.source, by_cost=by_cost))
        if for_offer:
            glance = partial(glance_at_larger_inputs, bench, self.judge, self.source, self.deadline)
            looks.append(partial(glance, however_dear=self.seems_too_good))
            looks.append(partial(explore, bench, self.source, self.deadline))
        return looks

    def weighed(self, found: Sequence[_Found]) -> Agreement | Difference:
        """The overall result: how much agreed, or the first finding against the rewrite."""
        searched, *others = found
        assert isinstance(searched, (Agreement, Counterexample))  # noqa: S101 - narrows the type: it is the first task
        if isinstance(searched, Counterexample) and not (searched.timed_out or searched.provided):
            return searched
        explored = next((each for each in others if isinstance(each, Exploration)), None)
        differing = (each for each in others if isinstance(each, (Report, Dependence, WholeRunDifference)))
        ended: Agreement | Difference = next(differing, searched)
        if ended is searched and explored is not None:
            ended = self._explored(explored, searched)
        if not isinstance(ended, Agreement):
            return ended
        beyond = self.search.beyond_real_calls(self.source)
        return replace(ended, unreached=self.search.unreached_lines(self.source), beyond_calls=beyond)

    def on_suggested(self, suggested: Suggested) -> Counterexample | Agreement:
        """What calls that somebody suggests show."""
        until = self.deadline.within(OFFER_S)
        return self.search.against_suggested(self.source, suggested, until, rounds=SUGGESTED_ROUNDS)

    def _explored(self, explored: Exploration, searched: Counterexample | Agreement) -> Counterexample | Agreement:
        """What was searched with what CrossHair's search came to, or a difference that it has found.

        Where `searched` is a difference that takes an assumption, only one that takes none counts for more.
        """
        found = None
        if explored.snippet:
            found = self.on_suggested(Suggested(explored.snippet, EXPLORED, by_hints=False))
        if isinstance(searched, Counterexample):
            return found if isinstance(found, Counterexample) and not found.provided else searched
        if isinstance(found, Counterexample):
            return found
        told = f" did not search: {explored.left_out}" if explored.left_out else " found none"
        return replace(searched, remark="CrossHair" + (" found none that plain values show" if found else told))


@dataclass(frozen=True, slots=True)
class BegunLooks:
    """Looks that may still go on."""

    of: Behaviour
    work: Ahead[_Found]

    def is_refuted(self) -> bool:
        """Whether a finished check has already found something against the rewrite."""
        return any(
            isinstance(each, (Report, Dependence, WholeRunDifference))
            or (isinstance(each, Counterexample) and not (each.timed_out or each.provided))
            for each in self.work.so_far()
        )

    def ended(self) -> tuple[Agreement | Difference, LargerGlances | None]:
        """What they come to, once all are done; and what was seen of larger inputs, where these were tried.

        Raises:
            SandboxInternalError: the sandbox failed.
        """
        found = self.work.results()
        glances = next((each for each in found if isinstance(each, LargerGlances)), None)
        return self.of.weighed(found), glances


def failed(bench: Workbench, source: str, cases: Sequence[Case]) -> Report | None:
    """The report of a rewrite's cases that are not all right, None if they are."""
    if not cases:
        return None
    report = bench.run_program(bench.rewrite(source), cases, bench.limits)
    return None if report.verdict is Verdict.ACCEPTED else report
