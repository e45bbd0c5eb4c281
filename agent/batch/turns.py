"""Goes through the ranked functions of a run over many: several at a time where there are CPUs for them, else in turns.

Each gets a share of the time, and the next what it leaves; a function that nothing will be proposed for gets none.
A function that turns out to have no inputs makes room for the next one.
Whichever ends first, the outcomes come in the order of the ranking.
"""

from __future__ import annotations

import sys
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.batch.batch_results import NOTHING_TO_PROPOSE, TOO_LITTLE_TIME, Outcome, is_tried
from afterburner.agent.batch.members import Member
from afterburner.agent.deadline import BudgetClock, Deadline
from afterburner.sandbox import CancelToken, Limits
from afterburner.sandbox.cores import keep_to, usable_cpus
from afterburner.sandbox.shared_cpus import SharedCpus
from afterburner.sandbox.waiting import TURN_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.batch.members import Worker
    from afterburner.agent.inputs.rank import RankedTarget

LEAST_SHARE_S = 45.0  # for one target: with less hardly anything can be confirmed
ENOUGH_S = 120.0  # confirms most rewrites in real packages on two cores; what is quicker leaves the rest to the next
LEAST_SHARE = 0.5  # of the time budget, where that is small
MOST_TURNS = 2  # for each function of `top`: some may have no inputs
LOOK_AHEAD_S = 5.0  # spent before a turn on finding out how many functions the time is for
MOST_AT_ONCE = 8  # a tenth of the CPU time is that of this process, and one Python process uses one CPU
_MEMORY = Path("/proc/meminfo")


def share_of(left_s: float, turns: int, max_seconds: float, enough_s: float = ENOUGH_S) -> float | None:
    """The time of the next of so many targets: an equal share of what is left, or more if that is too little.

    Where equal shares would be too small for all, the hottest come first and get `enough_s`, or half of the whole
    budget if that is less. None: hardly anything could be confirmed in what is left.
    """
    half_s = LEAST_SHARE * max_seconds
    if left_s < min(LEAST_SHARE_S, half_s):
        return None
    return min(left_s, max(left_s / turns, min(enough_s, half_s)))


def work_on_targets(worker: Worker, deadline: Deadline) -> None:
    """Fill in the outcomes of `worker.many`, which go on where they stand.

    Raises:
        CancelledError: the work was cancelled.
        KeyboardInterrupt: it was interrupted; the outcomes say which functions were.
        AfterburnerError: it cannot go on with any function.
    """
    settings, cancel = worker.many.settings, worker.loan.cancel
    shared = SharedCpus(worker.loan.cores())
    at_once = settings.batch.jobs or functions_at_once(shared)
    if not shared.beside or not worker.loan.follows_caller(settings.inputs):
        at_once = 1  # nothing could be kept off the core that another function is timed on
    at_once = min(at_once, settings.batch.top)
    stop = CancelToken()
    with cancel.on_cancel(stop.cancel):
        if at_once == 1:
            run = partial(worker.optimise, loan=worker.loan, runs=worker.runs)
            _Turns(worker, deadline, 1, run, stop).work(_InThisThread())
            return
        pool = ThreadPoolExecutor(at_once, "function", keep_to, (shared.beside,))
        run = partial(worker.optimise_beside_others, shared=shared, stop=stop)
        before = usable_cpus()
        keep_to(shared.beside)  # this thread lets the rules look at the next functions while one is timed
        try:
            _Turns(worker, deadline, at_once, run, stop).work(pool)
        finally:
            keep_to(before)


def functions_at_once(shared: SharedCpus) -> int:
    """One for each CPU that a program may run on, as far as this process can feed them and the memory holds them."""
    cpus = len(shared.beside) + len(shared.cores.slots)
    return max(1, min(cpus, MOST_AT_ONCE, _free_kib() // Limits().memory_kib))


def _free_kib() -> int:
    """The memory that programs can have without swapping."""
    try:
        lines = _MEMORY.read_text(encoding="ascii").splitlines()
    except OSError:
        return sys.maxsize
    return next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), sys.maxsize)


class _InThisThread(Executor):
    """Does what is submitted at once."""

    def submit(self, work: Callable[..., Outcome], /, *args: object, **kwargs: object) -> Future[Outcome]:  # type: ignore[override]  # of one kind of work
        done: Future[Outcome] = Future()
        try:
            done.set_result(work(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - raised again where the result is taken
            done.set_exception(error)
        return done


@dataclass(frozen=True, slots=True)
class _Turn:
    """A function of the ranking, and what becomes of it."""

    target: RankedTarget
    outcome: Future[Outcome]
    member: Member | None = None  # None: it has no run
    began_s: float = 0.0  # by the clock of its budget

    @property
    def left_s(self) -> float:
        """What it may still use of its share, if it goes on."""
        if self.member is None or self.outcome.done():
            return 0.0
        return max(self.member.share_s - (self.member.budget.now_s() - self.began_s), 0.0)


@dataclass(slots=True)
class _Turns:
    """The functions that had their turns and are not yet among the outcomes of the whole."""

    worker: Worker
    deadline: Deadline
    at_once: int
    run: Callable[[Member], Outcome]
    stop: CancelToken  # ends all that go on
    _turns: list[_Turn] = field(default_factory=list)
    _hopeless: dict[RankedTarget, bool] = field(default_factory=dict)  # nothing will be proposed for it

    def work(self, executor: Executor) -> None:
        """Go through the ranking from where it stands."""
        try:
            with executor:
                try:
                    self._go_through(executor)
                except BaseException:
                    self.stop.cancel()
                    raise
        except KeyboardInterrupt:
            self._take_interrupted()
            raise

    def _go_through(self, executor: Executor) -> None:
        many, begun = self.worker.many, self.worker.begun()
        top = many.settings.batch.top
        number, first = many.turns, len(many.outcomes)
        for place, target in enumerate(many.ranked[first:], first):
            while self._tried() >= top and self._running():
                self._wait()  # one of them may have no inputs
            is_full = self._tried() >= top or number >= MOST_TURNS * top
            is_begun = (target.path, target.function) in begun
            if is_full and not is_begun:
                if not any((each.path, each.function) in begun for each in many.ranked[place:]):
                    break
                number += not self._is_hopeless(target)  # as in the process that began the others
                self._add(target, Outcome(target, "not_reached", "enough others have had their turn"))
                continue
            turns = self._count_turns(many.ranked[place:], top - self._tried())
            share_s = self._share_s(turns, is_begun=is_begun)
            if share_s is None:
                number += 1
                self._add(target, Outcome(target, "not_reached", TOO_LITTLE_TIME))
            elif not is_begun and self._is_hopeless(target):
                self._add(target, Outcome(target, NOTHING_TO_PROPOSE, "no rule fits it"))
            else:
                number += 1
                self._begin(executor, Member(target, number, number + turns - 1, share_s, BudgetClock(), is_begun))
        while self._running():
            self._wait()

    def _tried(self) -> int:
        """How many count towards `top`, including those still running."""
        unkept = (turn.outcome for turn in self._turns)
        return self.worker.many.tried + sum(not each.done() or is_tried(each.result()) for each in unkept)

    def _count_turns(self, targets: Sequence[RankedTarget], most: int) -> int:
        """How many of these share the time that is left, or somewhat more if finding out takes long; at least one."""
        until = Deadline.after(LOOK_AHEAD_S)
        turns = 0
        for target in targets:
            if turns == most:
                break
            self.worker.loan.cancel.raise_if_cancelled()
            is_known = target in self._hopeless or not until.passed()
            turns += not (is_known and self._is_hopeless(target))
        return max(turns, 1)

    def _is_hopeless(self, target: RankedTarget) -> bool:
        if target not in self._hopeless:
            self._hopeless[target] = self.worker.has_nothing_for(target)
        return self._hopeless[target]

    def _share_s(self, turns: int, *, is_begun: bool) -> float | None:
        """The time for the next of so many functions, once there is a place for it; None: too little is left."""
        while True:
            self.worker.loan.cancel.raise_if_cancelled()
            running = self._running()
            if len(running) < self.at_once:
                left_s = self.deadline.left_s() - sum(turn.left_s for turn in running)
                # Several at a time all get on; a larger share of the first would leave the other CPUs idle.
                enough_s = ENOUGH_S if self.at_once == 1 else LEAST_SHARE_S
                share_s = share_of(left_s, turns, self.worker.many.settings.search.max_seconds, enough_s)
                if share_s is not None or is_begun:
                    return share_s or 0.0
                if not running:
                    return None
            self._wait()  # it may leave something of its share

    def _begin(self, executor: Executor, member: Member) -> None:
        self.worker.many.begun[self.worker.id_of(member.number)] = self.worker.used_s()
        self.worker.keep()
        began_s = member.budget.now_s()
        self._turns.append(_Turn(member.target, executor.submit(self.run, member), member, began_s))
        self._take_results()

    def _add(self, target: RankedTarget, outcome: Outcome) -> None:
        known: Future[Outcome] = Future()
        known.set_result(outcome)
        self._turns.append(_Turn(target, known))
        self._take_results()

    def _running(self) -> list[_Turn]:
        return [turn for turn in self._turns if not turn.outcome.done()]

    def _wait(self) -> None:
        running = [turn.outcome for turn in self._running()]
        while running and not wait(running, timeout=TURN_S, return_when=FIRST_COMPLETED).done:
            continue
        self._take_results()

    def _take_results(self) -> None:
        """Keep the outcomes of the first in the ranking that have one; what fails for all is raised at once."""
        for turn in self._turns:
            if turn.outcome.done():
                turn.outcome.result()
        while self._turns and self._turns[0].outcome.done():
            self.worker.many.outcomes.append(self._turns.pop(0).outcome.result())
        self.worker.keep()

    def _take_interrupted(self) -> None:
        """Tell what became of each, now that none goes on any more."""
        for turn in self._turns:
            has_ended = turn.outcome.done() and turn.outcome.exception() is None
            interrupted = Outcome(turn.target, "interrupted", "the run was interrupted")
            self.worker.many.outcomes.append(turn.outcome.result() if has_ended else interrupted)
        self._turns.clear()
