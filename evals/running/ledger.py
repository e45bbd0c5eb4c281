"""What is done of an evaluation, what is left out, and what has to be tried again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.models.requests.endings import ModelFailedError
from afterburner.evals.datasets.built import is_built, splits_in
from afterburner.evals.datasets.guessing import OWN
from afterburner.evals.datasets.sources import layout_hint
from afterburner.evals.errors import DatasetError, EvaluationError
from afterburner.evals.problems import Rejected
from afterburner.evals.running.loops import CapReachedError
from afterburner.evals.running.progress import EvaluationEvent, OnEvaluationEvent, Step
from afterburner.evals.running.subjects import Expected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from afterburner.agent.usage import Usage
    from afterburner.evals.running.folder import RunFolder
    from afterburner.evals.running.subjects import Subject
    from afterburner.evals.tables import Row


@dataclass(slots=True)
class Outcome:
    """What became of an evaluation: ids of problems, and why those that are left out are."""

    folder: Path
    done: list[str] = field(default_factory=list)
    scored: int = 0  # of those that are done, in this process or before it
    rejected: list[Rejected] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # our fault or a server's: eval resume tries them again

    not_begun: int = 0  # since a cap was reached, or any further one would have failed alike
    is_empty: bool = False  # no problem is done, and no model gave an answer that could be used again

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do."""
        return not self.failed


@dataclass(slots=True)
class Ledger:
    """Stores each problem as it is done, and tells whoever listens. Used by one thread, but for `tell`."""

    folder: RunFolder
    on_event: OnEvaluationEvent
    outcome: Outcome
    usages: dict[str, Usage] = field(default_factory=dict)  # of this command, by the problem; for a cluster alone
    used: Callable[[], Usage | None] | None = None  # of the whole run, over all commands that worked on it
    expected: Expected = field(default_factory=Expected)
    stopped: bool = False  # any further problem would fail alike, so none is begun
    turned_away: bool = False  # the model's server refuses whatever it is asked

    def note_stored(self) -> None:
        """Count what earlier commands have stored, before the first line of progress.

        Raises:
            EvaluationError: a file of the folder is damaged.
        """
        stored = self.folder.stored()
        self.outcome.done += stored
        self.outcome.scored += sum(stored.values())

    def unfinished(self, subjects: Iterator[Subject | Rejected]) -> Iterator[Subject]:
        """What is not stored yet; records that cannot be used are noted."""
        stored = frozenset(self.outcome.done)
        for each in subjects:
            if self.stopped:
                return
            if isinstance(each, Rejected):
                self.outcome.rejected.append(each)
                self.tell(Step.REJECTED, each.place, each.line)
            elif each.id not in stored:
                yield each

    def keep(self, problem_id: str, rows: Mapping[str, Sequence[Row]]) -> None:
        """Store a problem.

        Raises:
            EvaluationError: the folder cannot be written.
        """
        self.folder.keep(problem_id, rows)
        self.outcome.done.append(problem_id)
        self.outcome.scored += not rows["problems"][0]["reason"]
        self.tell(Step.DONE, problem_id, _found(rows))

    def fail(self, problem_id: str, error: BaseException) -> None:
        """Note that a problem could not be evaluated; that says nothing of the model."""
        why = str(error)
        is_named = re.match(rf"(problem )?{re.escape(problem_id)}(?!\w)", why)
        self.outcome.failed[problem_id] = why if is_named else f"{problem_id}: {why}"
        self.turned_away = self.turned_away or _is_turned_away(error)
        self.stopped = self.stopped or fails_for_all(error)
        self.tell(Step.FAILED, problem_id, self.outcome.failed[problem_id])

    def fail_unexpectedly(self, problem_id: str, error: BaseException) -> None:
        """Note that a problem could not be evaluated by a fault of this program; the others go on."""
        said = f"{type(error).__name__}: {error}".partition("\n")[0]
        self.fail(problem_id, EvaluationError(f"an error of ours: {said}. Report it."))

    def finish(self) -> None:
        """Store what was found of the dataset as a whole, and whether nothing is left to do.

        Raises:
            DatasetError: no problem can be used.
            EvaluationError: the folder cannot be written.
        """
        outcome, settings = self.outcome, self.folder.settings
        begun = len(outcome.done) + len(outcome.failed)
        problems = self.expected.problems(len(outcome.rejected))
        outcome.not_begun = max(problems - begun, 0) if self.stopped else 0
        outcome.is_empty = self.turned_away and not outcome.done and self._no_answer()
        self.folder.keep_rejected([each.line for each in outcome.rejected])
        if not (outcome.done or outcome.failed):
            asked = settings.dataset if settings.source else OWN
            hint = layout_hint(settings.source or settings.dataset, asked, settings.split or "test")
            raise DatasetError(
                f"{settings.dataset} has no problem that can be used"
                f"{f' in the split {settings.split!r}: give another --split' if settings.split else ''}. "
                f"{hint or _what_it_holds(Path(settings.source or settings.dataset))}"
            )
        self.folder.say_whether_complete(is_complete=outcome.is_complete)

    def _no_answer(self) -> bool:
        used = self.used() if self.used is not None else None
        return used is not None and not (used.tokens or used.cached or used.lost or used.unsaid)

    def tell(self, step: Step, problem_id: str, detail: str = "") -> None:
        """Pass on what happens."""
        whole = self.used() if self.used is not None else None
        used, done = list(self.usages.values()) if whole is None else [whole], len(self.outcome.done)
        costs = [each.known_cost_usd for each in used]
        cost_usd = None if None in costs else sum(each for each in costs if each is not None)
        requests, tokens = sum(each.requests for each in used), sum(each.tokens for each in used)
        scope = "in this command" if self.used is None else "in the run so far"
        problems = self.expected.problems(len(self.outcome.rejected))
        problems = max(problems, done) if problems else 0
        self.on_event(EvaluationEvent(step, problem_id, detail, done, problems, requests, tokens, cost_usd, scope))


def _what_it_holds(place: Path) -> str:
    if is_built(place):
        return f"It has {splits_in(place)}."
    check = f" {place}" if place.exists() else ""
    return f"What it holds is told by: afterburner-agent eval datasets{check}"


def fails_for_all(error: BaseException) -> bool:
    """Whether any other problem would fail alike: a cap is reached, or the server turns every request away."""
    return isinstance(error, CapReachedError) or _is_turned_away(error)


def _is_turned_away(error: BaseException) -> bool:
    return isinstance(error, ModelFailedError) and error.turns_all_away


def _found(rows: Mapping[str, Sequence[Row]]) -> str:
    """What came of a problem, in a line."""
    about = rows["problems"][0]
    if about["reason"]:
        return str(about["reason"])
    last = max(row["iteration"] for row in rows["best"])
    passed = sum(row["passed"] for row in rows["best"] if row["iteration"] == last)
    generations = 1 + max(row["generation"] for row in rows["best"])
    return f"{passed} of {generations} pass in the loop at iteration {last}, {about['elapsed_s']:.0f} s"
