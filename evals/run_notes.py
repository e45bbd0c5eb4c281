"""What a run stored that a reader has to know before believing its scores, a sentence each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.wording import count, shorten_middle
from afterburner.evals.tables import TABLES, read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_LONGEST = 300  # characters of a failure
CUT_OFF = "length"  # how an answer ended that was cut off
_OF_CANDIDATES = ("code_id", "answer", "finish_reason", "completion_tokens")
_OF_PROBLEMS = ("problem_id", "reason", "failing_references")


def notes_of(folder: Path) -> list[str]:
    """The sentences about a folder of `eval run`.

    Raises:
        EvaluationError: a file cannot be read.
    """
    problems = [row for row in _read(folder, "problems", _OF_PROBLEMS) if not row["reason"]]
    return list(filter(None, (failing_solutions(problems), read_answers(folder).caution)))


def failing_solutions(problems: Sequence[Mapping[str, Any]]) -> str:
    """On how many problems all known solutions fail; empty: on none.

    Args:
        problems: rows of the table `problems`, of those that were evaluated.
    """
    failing = [row for row in problems if row.get("failing_references")]
    if not failing:
        return ""
    first = failing[0]
    return (
        f"On {len(failing)} of {count(len(problems), 'problem')} all known solutions that were run fail here, so code "
        "that fails there says little of the model: the tests, the grader or this machine may be at fault. The first "
        f"failure, of {first['problem_id']}: {shorten_middle(first['failing_references'].rstrip('.'), _LONGEST)}."
    )


@dataclass(frozen=True, slots=True)
class Answers:
    """How many answers of models a run has, and how many of them are of less use than they might be."""

    answers: int
    cut_off: int  # by the limit of tokens
    without_code: int  # those that are cut off among them; code that cannot be parsed is run, and fails

    @property
    def caution(self) -> str:
        """A sentence of what is wrong; empty: each answer is whole and held code."""
        found = []
        if self.without_code:
            found.append((self.without_code, "had no code that could be used"))
        if self.cut_off:
            found.append((self.cut_off, f"{_was(self.cut_off)} cut off by the limit of tokens"))
        if not found:
            return ""
        (number, what), *others = found
        told = [f"{number} of {count(self.answers, 'answer')} {what}", *(f"{more} {also}" for more, also in others)]
        return f"{'; '.join(told)}."

    @property
    def told(self) -> str:
        """The same; of answers that are all of use, how many there are."""
        whole = f"{count(self.answers, 'answer')}; none was cut off, and each had code, valid or not."
        return self.caution or whole


def read_answers(folder: Path) -> Answers:
    """Count the answers of the models in a folder of `eval run`; rules give none.

    Raises:
        EvaluationError: a file cannot be read.
    """
    rows = [row for row in _read(folder, "candidates", _OF_CANDIDATES) if _is_answer(row)]
    cut_off = sum(row["finish_reason"] == CUT_OFF for row in rows)
    return Answers(len(rows), cut_off, sum(not row["code_id"] for row in rows))


def _is_answer(row: Mapping[str, Any]) -> bool:
    """Whether a candidate is an answer: neither a rule's, nor the place of an answer that never came."""
    return bool(row["answer"] or row["completion_tokens"] or row["finish_reason"] == CUT_OFF)


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _read(folder: Path, table: str, names: Sequence[str]) -> list[dict[str, Any]]:
    return read_rows(folder, table, columns={name: TABLES[table][name] for name in names})
