"""What a search for a difference ends with."""

from __future__ import annotations

import builtins
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.judge.verification.reach import UnseenLine, lines_in_words
from afterburner.agent.judge.verification.told_shapes import told_shapes
from afterburner.agent.stated_assumptions import advice_to_state
from afterburner.agent.wording import count, shorten_middle

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from afterburner.agent.inputs.harness_answers import Assumption
    from afterburner.agent.judge.verification.rounding import Rounding
    from afterburner.agent.types import Skipped

MAX_LINE = 3_000  # characters
SHORT_CALLS = 200  # likewise: what is left of the calls in it, however long what they show is
# Where calls come from that somebody thought of to tell two versions apart.
SUGGESTED, EXPLORED = "suggested by a model", "found by CrossHair"
MADE_INPUTS = "made inputs"  # the origin of what is told of making them
NOTHING_TO_DRAW = "hypothesis.errors.Unsatisfiable"  # where that begins like this, no job failed: no more can be made


@dataclass(frozen=True, slots=True)
class Counterexample:
    """An input on which a rewrite does something else than the original.

    Every text of it is one bounded, printable line. `calls` is the input as a person would write it; more than one
    call where the last differs only after the others, in one process. `blobs` are the same calls as the sandbox takes
    them.
    """

    calls: tuple[str, ...]
    expected: str  # what the original does: "returned [1, 2]"
    actual: str  # what the rewrite does
    difference: str  # the first difference: "returned [2, 1] instead of [1, 2] (first difference at [0])"
    kind: str  # how the input came about: "equal keys", "captured from __main__"
    blobs: tuple[bytes, ...]
    larger_blobs: tuple[bytes, ...] = ()  # the calls that showed it first, which may be larger
    hash_seed: int = 0  # PYTHONHASHSEED under which they differ
    shrink_steps: int = 0
    every_time: bool = True  # False: the rewrite differed once, and not when the same was tried again
    timed_out: bool = False  # nothing else was seen of the rewrite than that it reached the time limit
    on_real_call: bool = False  # found on a call of the workload, or on one made smaller from it
    provided: tuple[Assumption, ...] = ()  # what held in every real call, and where it holds no difference was found
    inputs_provided: int | None = None  # made inputs that keep to it, on which both did the same; None: not counted
    rounding: Rounding | None = None  # how far floats are off, where nothing else differs on any input seen
    remark: str = ""  # what is not known of it, in words
    unfit: str = ""  # why the calls could not be made, in words: then nothing is known of the rewrite
    test: str = ""  # a function for pytest (`written_tests`), where one was asked for

    @property
    def place(self) -> str:
        """Where the rewrite differs, in words."""
        if self.kind == SUGGESTED:
            return "on a call that a model suggested to tell the two apart"
        if self.kind == EXPLORED:
            return "on a call that CrossHair found"
        return f"on an input made from the real ones ({self.kind})"

    @property
    def is_late_once(self) -> bool:
        """Whether nothing else was seen than a time limit, once: the machine may have been busy."""
        return self.timed_out and not self.every_time

    @property
    def condition(self) -> str:
        """On what the rewrite does the same, in words: "the same provided that `limits` ascends, as in all …"."""
        if not self.provided:
            return ""
        words = self._assumed
        held = count(max(each.held for each in self.provided), "recorded call")
        if self.inputs_provided:
            held += f" and {count(self.inputs_provided, 'made input')}"
        elif self.inputs_provided == 0:
            held += " (no made input with that was tried)"
        advice = advice_to_state(each.expression for each in self.provided)
        return f"the same provided that {words}, as in all {held}; {advice}"

    @property
    def undecided_condition(self) -> str:
        """What to say if too few inputs were tried to know whether its condition is the right one."""
        tried = count(self.inputs_provided or 0, "made input")
        return f"it may be the same provided that {self._assumed}, but time ran out after {tried} that keep to it"

    @property
    def _assumed(self) -> str:
        return " and ".join(each.words for each in self.provided)

    @property
    def told_to_models(self) -> str:
        """The same for whoever wrote the rewrite: the call, and the original's outcome, but nothing of the rewrite's.

        A rewrite could return what it has read of the project, and a provider of models must not learn that. Nor does
        it learn constants of the project that an input was made of (`told_shapes`).
        """
        calls, outcome = told_shapes(self.calls, self.expected, self.kind)
        return _cut(f"{_in_turn(calls)}: the original {outcome}; the rewrite {_doing(self.actual)}", MAX_LINE)

    @property
    def line(self) -> str:
        """All of it in one line for a report: `f([1, 1]) returned 2 instead of 1`."""
        seed = f" (PYTHONHASHSEED={self.hash_seed})" if self.hash_seed else ""
        chance = "" if self.every_time else " (not every time)"
        shows = f" {self.difference}{seed}{chance}"
        return shorten_middle(self.shown_calls, max(MAX_LINE - len(shows), SHORT_CALLS)) + shows

    @property
    def shown_calls(self) -> str:
        """The calls in the order in which they are made."""
        return _in_turn(self.calls)


@dataclass(frozen=True, slots=True)
class Agreement:
    """No difference was found. That is no proof; the counts say how far it was looked."""

    by_kind: tuple[tuple[str, int], ...] = ()  # distinct inputs on which both did the same, by how they came about
    skipped: tuple[Skipped, ...] = field(default=())
    exhausted: bool = False  # no further kind of input was left; otherwise the time was over
    unvaried: tuple[str, ...] = ()  # parameters of which no other argument than the real ones could be made
    never_given: tuple[str, ...] = ()  # `*args` and `**kwargs` that no input and no real call gives anything
    unreached: tuple[int, ...] = ()  # lines of the original that no input and no real call is known to reach
    remark: str = ""  # what else there is to tell of the search
    beyond_hints: Counterexample | None = None  # a difference on values that a type hint rules out
    beyond_calls: Counterexample | None = None  # one on elements of kinds that neither a hint nor a real call has

    @property
    def inputs(self) -> int:
        """How many distinct inputs agreed."""
        return sum(number for _, number in self.by_kind)

    @property
    def failures(self) -> tuple[str, ...]:
        """Why inputs are missing that might have been made."""
        reasons = [each.reason for each in self.skipped if each.origin == MADE_INPUTS]
        return tuple(reason for reason in reasons if not reason.startswith(NOTHING_TO_DRAW))

    def made(self, real: Collection[str]) -> int:
        """How many of the inputs were made; `real` are the origins of the workload's calls, which agreed as well."""
        return sum(number for kind, number in self.by_kind if kind not in real)

    @property
    def line(self) -> str:
        """For a report: `the same on 240 inputs: 31 empty, 12 negative, …`."""
        kinds = ", ".join(f"{number} {kind}" for kind, number in self.by_kind)
        told = f"the same on {count(self.inputs, 'input')}" + (f": {kinds}" if kinds else "")
        return "; ".join(filter(None, [told, self.remark, self.reached, self.beyond]))

    @property
    def caveat(self) -> str:
        """What whoever takes the rewrite has to know of it, in words; empty: nothing."""
        return "; ".join(filter(None, [self._beyond_calls, self._not_given]))

    @property
    def _not_given(self) -> str:
        if not self.never_given:
            return ""
        return f"no real call and no input gives {' or '.join(f'`{name}`' for name in self.never_given)} anything"

    @property
    def _beyond_calls(self) -> str:
        if self.beyond_calls is None:
            return ""
        return (
            f"it differs on values of kinds that no real call holds, for example {self.beyond_calls.line}; a type "
            "hint may rule them out"
        )

    @property
    def beyond(self) -> str:
        """What shows on values that a type hint rules out, in words."""
        if self.beyond_hints is None:
            return ""
        return f"it differs where values contradict the type hints, for example {self.beyond_hints.line}"

    @property
    def reached(self) -> str:
        """Which lines no input is known to reach, in words."""
        if not self.unreached:
            return ""
        lines = f"{lines_in_words(self.unreached)} of the original"
        if any(isinstance(line, UnseenLine) for line in self.unreached):
            return f"whether an input reached {lines} is not known: some take too long to be followed"
        return f"no input reached {lines}"

    @property
    def told_of_suggested(self) -> str:
        """What became of the calls that a model suggested, where these were the inputs."""
        left_out = "; ".join(each.reason for each in self.skipped if each.origin == SUGGESTED)
        said = f"they are the same on {count(self.inputs, 'call')}" if self.inputs else "it gave none that can be used"
        return f"{said} ({left_out})" if left_out else said


def _doing(actual: str) -> str:
    """What a rewrite did, in words that it cannot choose: at most the name of an exception of Python's own."""
    raised = re.match(r"raised (\w+)", actual)
    kind = getattr(builtins, raised[1], None) if raised else None
    if isinstance(kind, type) and issubclass(kind, BaseException):
        return f"raised {kind.__name__}"
    return "raised an exception" if raised else "did something else"


def _in_turn(calls: Sequence[str]) -> str:
    *before, last = calls
    return f"after {'; '.join(before)}: {last}" if before else last


def _cut(line: str, most: int) -> str:
    return line if len(line) <= most else line[: most - 1] + "…"
