"""Carries an evaluation out for the command line."""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError, CancelledError
from afterburner.agent.wording import count
from afterburner.evals.commands.needs import NOTHING_STORED
from afterburner.evals.commands.showing import show_evaluation, tell_outcome
from afterburner.evals.errors import DatasetError, EvaluationError
from afterburner.evals.running.progress import EvaluationEvent, Step

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.evals.running.folder import RunFolder
    from afterburner.evals.running.progress import OnEvaluationEvent
    from afterburner.evals.running.settings import Resources

_BEGINNING = EvaluationEvent(Step.STARTING, "", "looking at the data, the model and this machine")
_RESUMING = EvaluationEvent(Step.STARTING, "", "looking at the data, this machine and what is stored")


def carry_out(
    opening: Callable[[], RunFolder], resources: Resources, *, is_new: bool, quiet: bool, verbose: bool
) -> None:
    """Evaluate what is left of a run, show progress from the start, and say what to do next.

    A new folder does not stay where nothing came of the run, so that another try may have its name.

    Args:
        opening: gives the run's folder, which it makes where it `is_new`.
        resources: what the run may use.
        is_new: whether it is the run's first command.
        quiet: show no progress.
        verbose: print every step where there is no terminal.

    Raises:
        AfterburnerError: as `evaluate`, or as `opening`.
    """
    folder, problems = None, _Problems()
    try:
        with show_evaluation(quiet=quiet, detailed=verbose) as show:
            on_event = problems.counting(show)
            on_event(_BEGINNING if is_new else _RESUMING)
            from afterburner.evals.running.evaluate import evaluate  # takes seconds on a busy machine

            folder = opening()
            outcome = evaluate(folder, resources, on_event=on_event)
    except BaseException as error:
        if folder is not None:
            _tell_how_to_go_on(folder, problems.in_all, error)
        elif is_new and isinstance(error, KeyboardInterrupt):
            sys.stderr.write(NOTHING_STORED)
        raise
    outcome.is_empty = outcome.is_empty and is_new
    if outcome.is_empty:
        shutil.rmtree(folder.path, ignore_errors=True)
    tell_outcome(outcome)


@dataclass(slots=True)
class _Problems:
    """How many problems a run has, as its progress tells; 0: not known."""

    in_all: int = 0

    def counting(self, on_event: OnEvaluationEvent) -> OnEvaluationEvent:
        """Pass progress on, and note the newest number."""

        def note(event: EvaluationEvent) -> None:
            self.in_all = event.problems or self.in_all
            on_event(event)

        return note


def done_so_far(done: int, problems: int) -> str:
    """How many problems of a run are done, a sentence; `problems` are there in all, 0: not known."""
    if not done:
        return "No problem is done yet."
    of = f"{done} of {count(problems, 'problem')}" if problems >= done else count(done, "problem")
    return f"{of} {'is' if done == 1 else 'are'} done and stored."


def _tell_how_to_go_on(folder: RunFolder, problems: int, error: BaseException) -> None:
    """Say what is stored of a run that came to no end, and how to go on; remove a folder that says nothing."""
    if isinstance(error, DatasetError):
        if not (folder.path / "problems").exists():  # nothing was measured
            shutil.rmtree(folder.path, ignore_errors=True)
    elif isinstance(error, AfterburnerError):
        is_stopped = isinstance(error, CancelledError)
        when = "Go on with" if is_stopped else "Once the error below is mended, go on with"
        sys.stderr.write(f"{_stored(folder, problems)} {when}: {_resume(folder)}\n")
    else:
        sys.stderr.write(
            f"{_stored(folder, problems)} The answers that a model gave are kept. Problems that were begun are "
            f"measured again, and an answer that was under way is asked for again. Go on with: {_resume(folder)}\n"
        )


def _stored(folder: RunFolder, problems: int) -> str:
    """What is done of a run, a sentence, also where a file of its folder is damaged."""
    try:
        return done_so_far(len(folder.stored()), problems)
    except EvaluationError:
        return "What is done is stored."


def _resume(folder: RunFolder) -> str:
    return f"afterburner-agent eval resume {shlex.quote(str(folder.path))}"
