"""Inputs to compare two programs on, round by round: made by a process that holds only the original.

What the original does not do twice alike, or takes too long for, is left out. Rounds are kept, so that the next rewrite
meets the same inputs without delay.
"""

from __future__ import annotations

import base64
import hashlib
import threading
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from afterburner.agent.code.locate import with_source
from afterburner.agent.inputs.broken_assumptions import MOST_CALLS, broken_assumptions
from afterburner.agent.inputs.choosing import is_invented
from afterburner.agent.inputs.chosen_blobs import blobs_of_all_sizes, smallest_blobs
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.inputs.harness_answers import FoundCall
from afterburner.agent.inputs.hypothesis_interpreter import drawing_environment
from afterburner.agent.inputs.replayed_calls import Replay
from afterburner.agent.judge.verification.reach import LOOKING_S, unreached_lines
from afterburner.agent.stated_assumptions import stated_as_called, stated_empty, stated_values
from afterburner.agent.types import Skipped
from afterburner.sandbox import CancelledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.inputs.harness_answers import Answer, Assumption
    from afterburner.agent.inputs.hypothesis_interpreter import Drawing
    from afterburner.agent.judge.verification.mentions import Mentions
    from afterburner.agent.types import Target, WorkloadCall
    from afterburner.sandbox import Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

MOST_SHOWING = 60  # real calls that tell the contract when inputs are made
MAX_ROUNDS = 12  # after which nothing more is thought of: a function of one number has few inputs that are cheap
CASES_PER_ROUND = 120  # that each looks at
_FIRST_ROUNDS = ("edge", "related")
TOGETHER_PER_ROUND = 120  # that draw several small arguments at once
DRAWS_PER_ROUND = 160
WANTED_PER_ROUND = 480  # one process makes so many calls
MOST_S = 0.2  # that the original may take for one input
ROUND_S = 1.0  # of CPU time, for one call with each input of a round and for comparing them
STARTING_FROM = 24  # real calls
STEADY_SHARE = 0.5  # of the calls that have to have the same effects each time, or effects are not looked at
_UNSTEADY = "what they log, warn of, call or leave behind was not compared: it is not the same each time"
JOB_S = 4.0  # for thinking of the inputs of a round and trying them
LONG_CHAIN = "long chain"  # inputs that are long by nature
CHAINS_S = 4.0  # of the original's CPU time, for those of a round, in the place of ROUND_S
ALL_CHAINS_S = 0.5  # for trying those of all rounds, after which no more are tried: each is run a dozen times later
MENTIONED_S = 1.0  # likewise, for inputs with what one rewrite mentions
SUGGESTED_S = 5.0  # for running what somebody suggests
LEAST_S = 0.5  # likewise, where the time is nearly over
REAL_S = 0.5  # likewise, for real calls that are made again to look at their effects
COMPARED_BYTES_PER_S = 1_000_000  # of a call's arguments: to compare what becomes of records takes longer than the call
_LOOK_AGAIN_S = 0.1  # for whoever waits for a round that another thread makes
MOST_LEADING = 8  # made inputs that others are drawn from
FRUITLESS, FEW = 3, 5  # rounds with fewer new inputs than that, after which nothing more is thought of, either


@dataclass(frozen=True, slots=True)
class Round:
    """Calls that one process can make, and whether what is expected of them holds their effects: see `CallCase`.

    `number` is the place among the rounds that are kept for every rewrite; None: it is none of these.
    """

    calls: Sequence[WorkloadCall]
    known_names: tuple[str, ...] | None
    is_real: bool = False
    number: int | None = None

    def without(self, calls: Sequence[WorkloadCall]) -> Round:
        """The others of the calls."""
        left_out = {call.blob for call in calls}
        return replace(self, calls=[call for call in self.calls if call.blob not in left_out], number=None)

    def within(self, *, hints_alone: bool = False) -> Round:
        """Those of the calls that keep to the contract, or at least to the type hints."""
        left_out = "is_ruled_out" if hints_alone else "is_probing"
        return replace(self, calls=[call for call in self.calls if not getattr(call, left_out)], number=None)


@dataclass(frozen=True, slots=True)
class Suggested:
    """A snippet of calls that may tell two versions apart, and who thought of them, in words.

    Where `by_hints`, what the type hints say is within the contract; else only the kinds of values in real calls are.
    """

    snippet: str
    origin: str
    by_hints: bool = True


@dataclass(slots=True)
class Inputs:
    """The rounds of inputs for one original. Several threads may ask for rounds; one at a time makes one."""

    sandbox: Sandbox
    target: Target  # with the original's source
    environment: PythonEnvironment
    limits: Limits
    calls: Sequence[WorkloadCall]  # the real ones, which the others are made from
    seed: int
    float_tolerance: float | None = None  # how outcomes are compared: see `CallCase`
    fixed_clock: bool = False  # likewise
    known_names: tuple[str, ...] | None = None  # likewise
    assume: tuple[str, ...] = ()  # expressions over the parameters that inputs keep to
    held_out_calls: Sequence[WorkloadCall] = ()  # an assumption has to hold in these, too; nothing is made of them
    skipped: list[Skipped] = field(default_factory=list)
    exhausted: bool = False
    _varied: dict[str, bool] = field(default_factory=dict)  # by parameter
    _never_given: set[str] = field(default_factory=set)  # `*args` and `**kwargs` that are empty in the real calls
    _varied_by: list[dict[str, bool]] = field(default_factory=list)  # the same after each round
    _leading: list[bytes] = field(default_factory=list)  # made inputs that take a new way through the code
    _telling: list[bytes] = field(default_factory=list)  # small parts of real calls that take the ways of many elements
    _unreached: tuple[int, tuple[int, ...]] | None = None  # the number of calls that were looked at, and the lines
    _rounds: list[Round] = field(default_factory=list)
    _known: set[bytes] = field(default_factory=set)
    _asked: int = 0
    _spent_on_chains_s: float = 0.0
    _fruitless: int = 0
    _drawing: Drawing | None = None
    _may_draw: bool = True
    _real: Round | None = None
    _of_mentions: dict[Mentions, Round] = field(default_factory=dict)
    _unhinted: Round | None = None
    _making: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Real calls count as known."""
        self._known.update(_digest(call.blob) for call in self.calls)

    def rounds(self, deadline: Deadline, is_dropped: Callable[[], bool] = lambda: False) -> Iterator[Round]:
        """The rounds made so far, then new ones until the deadline, or until nothing new comes up.

        The first comes whatever the clock says, and so does every one that was made: nobody is to agree on no input.

        Raises:
            CancelledError: `is_dropped` said so while another thread made a round.
        """
        known, yielded = len(self._rounds), 0
        while True:
            if yielded == len(self._rounds):
                with self._turn(is_dropped):  # another thread may be at this round
                    if yielded == len(self._rounds):
                        if self.exhausted or (self._asked and deadline.passed()):
                            return
                        self._add_round(deadline)
            elif 0 < yielded < known and deadline.passed():
                return
            else:
                yield self._rounds[yielded]
                yielded += 1

    @contextmanager
    def _turn(self, is_dropped: Callable[[], bool]) -> Iterator[None]:
        """Make a round while no other thread does, which may take long."""
        while not self._making.acquire(timeout=_LOOK_AGAIN_S):
            if is_dropped():
                raise CancelledError
        try:
            yield
        finally:
            self._making.release()

    def rounds_for(
        self, mentions: Mentions, deadline: Deadline, most: int | None, is_dropped: Callable[[], bool]
    ) -> Iterator[Round]:
        """The same, `most` of them, and after the first one with what a rewrite alone mentions."""
        for number, made in enumerate(islice(self.rounds(deadline, is_dropped), most)):
            yield made
            if number == 0 and mentions:
                yield self.with_mentions(mentions)

    def assumption_broken_by(self, blob: bytes, larger: bytes) -> Assumption | None:
        """What holds in every real call and not in this one, in words; None if nothing plain does.

        If the larger call that it was made from breaks something, too, it is that: the rest comes of being smaller.
        """
        harness = Harness(self.sandbox, self.target, self.environment, self._limits(2 * JOB_S))
        told = broken_assumptions(harness, (*self.calls, *self.held_out_calls), [blob, larger])
        broken = [each for each in told if each.number == 0]
        by_larger = {each.expression for each in told if each.number == 1}
        return next((each for each in broken if each.expression in by_larger), next(iter(broken), None))

    def rule_broken_by(self, blobs: Sequence[bytes]) -> Assumption | None:
        """What the contract says that every real call keeps to, and one of these does not; None if they all do."""
        fields = self._fields() | {
            "cases": "broken",
            "given": list(map(_text, blobs)),
            "real": list(map(_text, self._showing(MOST_CALLS))),
            "budget_s": JOB_S,
        }
        harness = Harness(self.sandbox, self.target, self.environment, self._limits(2 * JOB_S))
        return next(iter(harness.ask_of_original("mutate", "broken", fields).assumptions), None)

    @property
    def made(self) -> int:
        """How many rounds there are."""
        return len(self._rounds)

    def unvaried(self, rounds: int) -> tuple[str, ...]:
        """Parameters whose argument was the real one in all of so many rounds, unless that is stated to be enough.

        Without those that `never_given` tells.
        """
        excused = self._never_given | stated_as_called(self.assume) | stated_values(self.assume)
        return tuple(name for name in self._as_in_real_calls(rounds) if name not in excused)

    def never_given(self, rounds: int) -> tuple[str, ...]:
        """The same of `*args` and `**kwargs` that no call gives anything, unless that is stated."""
        silent = self._never_given - stated_empty(self.assume)
        return tuple(name for name in self._as_in_real_calls(rounds) if name in silent)

    def _as_in_real_calls(self, rounds: int) -> tuple[str, ...]:
        with self._making:
            known = self._varied if rounds >= self.made else self._varied_by[rounds - 1] if rounds else {}
            return tuple(name for name, varied in known.items() if not varied)

    def unreached(self, rounds: int) -> tuple[int, ...]:
        """Lines of the original that no real call and none of so many rounds reaches, as far as that can be told."""
        calls = self._all_calls(rounds)
        if self._unreached is None or self._unreached[0] != len(calls):
            harness = Harness(self.sandbox, self.target, self.environment, self._limits(2 * LOOKING_S))
            self._unreached = (len(calls), unreached_lines(harness, calls))
        return self._unreached[1]

    def unreached_so_far(self) -> tuple[int, ...]:
        """The same of all rounds that there are, at one short look: some lines that are told may yet be reached."""
        harness = Harness(self.sandbox, self.target, self.environment, self._limits(2 * LOOKING_S))
        return unreached_lines(harness, self._all_calls(self.made), again=False)

    def unreached_after(
        self, source: str, environment: PythonEnvironment, mentions: Mentions, rounds: int
    ) -> tuple[int, ...]:
        """The same of a rewrite, which is the text of the whole file; inputs with what it mentions count, too."""
        of_mentions = self._of_mentions.get(mentions)
        calls = [*self._all_calls(rounds), *(of_mentions.calls if of_mentions else ())]
        target = with_source(self.target, source, or_bound=True)
        harness = Harness(self.sandbox, target, environment, self._limits(2 * LOOKING_S))
        return unreached_lines(harness, calls, again=False)

    def _all_calls(self, rounds: int) -> list[WorkloadCall]:
        """The real ones and those of the first rounds."""
        return [*(call for made in self._rounds[:rounds] for call in made.calls), *self.calls, *self.held_out_calls]

    def _add_round(self, deadline: Deadline) -> None:
        answer = self._ask(deadline)
        found = self._affordable(self._new(answer))
        made = self._usable(found)  # what it leaves out was thought of, not asked for by anybody
        # Only now: a sandbox that fails before must not cost a round.
        self._known.update(_digest(call.blob) for call in answer.calls)
        self._leading += _blobs_told(answer, "leading")
        self._telling += _blobs_told(answer, "telling")
        self._spent_on_chains_s += _spent_on_chains_s(answer)
        for name, varied in answer.parameters:
            self._varied[name] = self._varied.get(name, False) or varied
        self._never_given |= _names_told(answer, "never_given")
        self._fruitless = 0 if len(made.calls) >= FEW else self._fruitless + 1
        self._asked += 1
        if made.calls:
            self._varied_by.append(dict(self._varied))
            self._rounds.append(replace(made, number=len(self._rounds)))
        self.exhausted = self._fruitless >= FRUITLESS or self._asked >= MAX_ROUNDS

    def real_calls(self) -> Round:
        """Some real calls whose effects the original repeats, with these among what is expected."""
        with self._making:
            if self._real is None:
                self._real = replace(self._usable(self._cheapest()), is_real=True)
        return self._real

    def _cheapest(self) -> list[FoundCall]:
        left_s = REAL_S
        chosen: list[FoundCall] = []
        for call in sorted(self.calls, key=_cost_s):
            left_s -= _cost_s(call)
            if chosen and left_s < 0:
                break
            chosen.append(
                FoundCall(call.blob, call.origin, call.description, "unknown", call.position, call.cpu_time_s)
            )
        return sorted(chosen, key=lambda call: call.number)  # not by what they took just now: another run asks the same

    def with_mentions(self, mentions: Mentions) -> Round:
        """Inputs that hold what one rewrite alone mentions, which may be a workload's answers."""
        if mentions not in self._of_mentions:
            fields = self._fields() | {
                "cases": "mentioned",
                "bounds": [0, CASES_PER_ROUND],
                "mentioned": asdict(mentions),
                "draws": 0,
                "together": 0,
                "seed": self.seed,
                "budget_s": MENTIONED_S,
            }
            harness = Harness(self.sandbox, self.target, self.environment, self._limits(2 * JOB_S))
            answer = harness.ask_of_original("mutate", "mutated", fields)
            self._of_mentions[mentions] = self._usable(self._affordable(_ranked(answer)))
        return self._of_mentions[mentions]

    def unhinted(self) -> Round:
        """Calls with elements of kinds that neither a hint nor a real call has, where the original returns."""
        if self._unhinted is None:
            fields = self._fields() | {"cases": "unhinted", "budget_s": JOB_S}
            harness = Harness(self.sandbox, self.target, self.environment, self._limits(2 * JOB_S))
            found = harness.ask_of_original("mutate", "unhinted", fields).calls
            self._unhinted = self._usable(self._affordable([each for each in found if each.ending == "returned"]))
        return self._unhinted

    def fitting(self, blobs: Sequence[bytes]) -> Round:
        """Calls that type hints rule out, with numbers that they allow in the place of equal ones."""
        return self._usable(self._affordable(self._given("fitted", blobs)))

    def crossed(self, blobs: Sequence[bytes]) -> Round:
        """Calls that break an assumption, with arguments of real calls in the place of those that break it."""
        return self._usable(self._affordable(self._given("crossed", blobs)))

    def _given(self, cases: str, blobs: Sequence[bytes]) -> tuple[FoundCall, ...]:
        fields = self._fields() | {"cases": cases, "given": list(map(_text, blobs)), "budget_s": JOB_S}
        harness = Harness(self.sandbox, self.target, self.environment, self._limits(2 * JOB_S))
        return harness.ask_of_original("mutate", cases, fields).calls

    def suggested(self, suggested: Suggested) -> Round:
        """The calls of a snippet that somebody suggests, as far as they are inputs of the function."""
        fields = {
            "snippet": suggested.snippet,
            "by_hints": suggested.by_hints,
            "blobs": list(map(_text, self._showing(MOST_CALLS))),
            "assume": list(self.assume),
            "most_s": MOST_S,
            "budget_s": SUGGESTED_S,
        }
        harness = Harness(self.sandbox, self.target, self.environment, self._limits(2 * SUGGESTED_S))
        answer = harness.ask("suggest", suggested.origin, fields)
        self._skip(answer.skipped)
        self._skip((suggested.origin, failure.reason) for failure in answer.failures)
        return self._usable(self._affordable(answer.calls))

    def _usable(self, found: Sequence[FoundCall]) -> Round:
        """What the original does the same each time; effects are left out where they are what differs."""
        names = self.known_names
        kept = self._replayed(found, names)
        if names is not None and len(kept) < STEADY_SHARE * len(found):
            without = self._replayed(found, None)
            if len(kept) < STEADY_SHARE * len(without):
                self._skip([("effects of calls", _UNSTEADY)])
                self.known_names = None
                return Round(without, None)
        return Round(kept, names)

    def _replayed(self, found: Sequence[FoundCall], known_names: tuple[str, ...] | None) -> list[WorkloadCall]:
        if not found:
            return []
        replay = Replay(
            self.sandbox,
            self.target,
            self.environment,
            self._limits(2 * (ROUND_S + CHAINS_S)),
            float_tolerance=self.float_tolerance,
            fixed_clock=self.fixed_clock,
            known_names=known_names,
        )
        return replay.keep_usable(found)[0]

    def _ask(self, deadline: Deadline) -> Answer:
        """One job: edge cases first, then what has to do with the code, then more of the first and what is drawn."""
        cases, start = "later", CASES_PER_ROUND * self._asked
        if self._asked < len(_FIRST_ROUNDS):
            cases, start = _FIRST_ROUNDS[self._asked], 0
        draws = DRAWS_PER_ROUND if self._asked >= len(_FIRST_ROUNDS) and self._may_draw else 0
        fields = self._fields() | {
            "cases": cases,
            "bounds": [start, start + CASES_PER_ROUND],
            "draws": draws,
            "together": TOGETHER_PER_ROUND,
            "seed": self.seed * MAX_ROUNDS + self._asked,
            "budget_s": min(JOB_S, deadline.left_s() + LEAST_S) if self._asked else JOB_S,
            "chains_s": ALL_CHAINS_S - self._spent_on_chains_s,
        }
        environment = self.environment
        if draws:
            self._drawing = self._drawing or drawing_environment(self.environment, self.target)
            environment = self._drawing.environment
            fields["extra_site"] = self._drawing.extra_site
        harness = Harness(self.sandbox, self.target, environment, self._limits(2 * (JOB_S + CHAINS_S)))
        answer = harness.ask_of_original("mutate", "mutated", fields)
        self._skip(answer.skipped)
        for failure in answer.failures:
            if failure.stage in {"no_hypothesis", "import"} and draws:
                self._may_draw = False
                self._skip(
                    [("drawn with Hypothesis", f"only edge cases are tried, nothing is drawn: {failure.reason}")]
                )
                return self._ask(deadline)
            self._skip([("made inputs", failure.reason)])
        return answer

    def _fields(self) -> dict[str, Any]:
        """What every job is told."""
        leading = sorted(self._leading, key=len)[:MOST_LEADING]
        return {
            "blobs": list(map(_text, self.starting_from())),
            "leading": list(map(_text, leading)),
            "telling": list(map(_text, self._telling)),
            "real": list(map(_text, self._showing(MOST_SHOWING))),
            "wanted": WANTED_PER_ROUND,
            "most_s": MOST_S,
            "assume": list(self.assume),
        }

    def _skip(self, entries: Iterable[tuple[str, str]]) -> None:
        self.skipped += [skipped for entry in entries if (skipped := Skipped(*entry)) not in self.skipped]

    def _showing(self, most: int) -> list[bytes]:
        """The blobs of calls that show what the function is given: real ones, if there are any."""
        calls = (*self.calls, *self.held_out_calls)
        return smallest_blobs([call for call in calls if not is_invented(call.origin)] or calls, most)

    def starting_from(self) -> list[bytes]:
        """The blobs of some real calls, small ones above all, and always of one."""
        return blobs_of_all_sizes(self.calls, STARTING_FROM)

    def _new(self, answer: Answer) -> list[FoundCall]:
        known, found = set(self._known), []
        for call in _ranked(answer):
            digest = _digest(call.blob)
            if digest not in known:
                known.add(digest)
                found.append(call)
        return found

    def _affordable(self, found: Sequence[FoundCall]) -> list[FoundCall]:
        """As many as fit into the time of a round, the cheapest first."""
        left_s = {True: CHAINS_S, False: ROUND_S}
        chosen = []
        for call in sorted(found, key=_cost_s):
            is_chain = call.origin == LONG_CHAIN
            left_s[is_chain] -= call.cpu_time_s if is_chain else _cost_s(call)
            if left_s[is_chain] >= 0:
                chosen.append(call)
        return sorted(chosen, key=lambda call: call.number)

    def _limits(self, seconds: float) -> Limits:
        # What the real calls are allowed covers the start and the imports.
        allowed_s = self.limits.wall_time_s + seconds
        return replace(self.limits, wall_time_s=allowed_s, cpu_time_s=allowed_s)


def _cost_s(call: FoundCall | WorkloadCall) -> float:
    """What it takes to make a call once and to compare what it did, roughly."""
    return call.cpu_time_s + len(call.blob) / COMPARED_BYTES_PER_S


def _blobs_told(answer: Answer, name: str) -> list[bytes]:
    """The calls of a job whose numbers it tells under a name."""
    numbers = _told(answer, name)
    return [call.blob for call in answer.calls if call.number in numbers]


def _ranked(answer: Answer) -> list[FoundCall]:
    """The calls of a job, each with whether it is beyond the contract, and beyond the hints, as the job says."""
    probing, ruled_out = _told(answer, "probing"), _told(answer, "ruled_out")
    return [
        replace(call, is_probing=call.number in probing, is_ruled_out=call.number in ruled_out) for call in answer.calls
    ]


def _spent_on_chains_s(answer: Answer) -> float:
    """What a job says it spent on inputs that are long by nature."""
    told = [body.get("chains_s") for body in answer.told]
    return sum(seconds for seconds in told if isinstance(seconds, (int, float)) and seconds > 0)


def _told(answer: Answer, name: str) -> set[int]:
    """The numbers of calls that a job tells under a name."""
    lists = [told for body in answer.told if isinstance(told := body.get(name), list)]
    return {number for told in lists for number in told if isinstance(number, int)}


def _names_told(answer: Answer, name: str) -> set[str]:
    """The names of parameters that a job tells under a name."""
    lists = [told for body in answer.told if isinstance(told := body.get(name), list)]
    return {parameter for told in lists for parameter in told if isinstance(parameter, str)}


def _text(blob: bytes) -> str:
    return base64.b64encode(blob).decode("ascii")


def _digest(blob: bytes) -> bytes:
    return hashlib.sha256(blob).digest()
