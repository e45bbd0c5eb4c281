"""What is rewarded, and what came of it."""

from __future__ import annotations

import ast
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.errors import ProposerError
from afterburner.agent.judge.gates import refusal
from afterburner.agent.models.prompts.answer_format import parse_answer

if TYPE_CHECKING:
    from afterburner.agent.types import Objective
    from afterburner.training.reward.terms import Side, Terms

_READS_STDIN = "\nimport sys\nsys.stdin\n"  # what any program may do, whether its original does so or there is none
CHEATS = "cheats"  # stands for the verdict of a code that a gate refuses
HIDDEN_TESTS = "hidden_tests"  # of one that fails tests which no prompt and no measurement shows


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer of a model, and what it was asked for.

    Attributes:
        problem_id: of the problem.
        objective: that the prompt named.
        original: the code of the prompt; empty: there was none.
        answer: the whole text of the answer.
    """

    problem_id: str
    objective: Objective
    original: str
    answer: str


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What an answer holds.

    Attributes:
        code: of the solution; empty: the answer is not in the strict format, or a gate refuses its code.
        strict: whether it is in the strict format.
        cheat: why a gate refuses the code; empty: none does.
    """

    code: str
    strict: bool
    cheat: str


@dataclass(frozen=True, slots=True)
class Scored:
    """The reward of one answer.

    Attributes:
        sample: what was rewarded.
        read: what its answer holds.
        verdict: of its code; `cheats` where a gate refused it, `hidden_tests` where it passes the measured tests and
            fails the others, and empty where there is none.
        before: the original, as it was measured.
        after: the new code, likewise, in units of the time when the original was.
        terms: the reward; None: the sample is dropped, because it could not be judged.
        dropped: why it is dropped; empty: it is not.
    """

    sample: Sample
    read: ReadAnswer
    verdict: str
    before: Side | None = None
    after: Side | None = None
    terms: Terms | None = None
    dropped: str = ""

    def to_row(self) -> dict[str, Any]:
        """A line of the log: all but the texts."""
        return {
            "problem_id": self.sample.problem_id,
            "objective": self.sample.objective.value,
            "verdict": self.verdict,
            "strict": self.read.strict,
            "cheat": self.read.cheat,
            "dropped": self.dropped,
            **{
                f"{name}_{key}": value
                for name, side in (("before", self.before), ("after", self.after))
                for key, value in (asdict(side) if side is not None else {}).items()
            },
            **(asdict(self.terms) if self.terms is not None else {}),
        }


def read_answer(sample: Sample, language: str) -> ReadAnswer:
    """Read an answer strictly, and hold its code against the gates that need not run it."""
    try:
        code = parse_answer(sample.answer).code
    except ProposerError:
        return ReadAnswer("", strict=False, cheat="")
    cheat = refusal(_permitted(sample.original), code, language)
    return ReadAnswer("" if cheat else code, strict=True, cheat=cheat or "")


def _permitted(original: str) -> str:
    """A text of which everything is permitted: the original, if it can be read at all, and reading stdin."""
    try:
        ast.parse(original)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _READS_STDIN
    return original + _READS_STDIN
