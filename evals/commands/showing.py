"""What a person sees of an evaluation: a bar on a terminal, plain lines in a pipe; at the end, what is left to do."""

from __future__ import annotations

import shlex
import sys
import time
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from afterburner.agent.wording import count
from afterburner.evals.datasets.built import is_built, missing_note
from afterburner.evals.run_notes import notes_of
from afterburner.evals.running.progress import EvaluationEvent, Step
from afterburner.evals.tables import REJECTED
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.plain_lines import PlainLines
from afterburner.sandbox.terminal.streams import is_live
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.evals.running.ledger import Outcome
    from afterburner.evals.running.progress import OnEvaluationEvent
    from afterburner.evals.running.settings import EvaluationSettings

# In a pipe; the steps between are many.
_TOLD = frozenset({Step.STARTING, Step.BEGUN, Step.DONE, Step.FAILED, Step.REJECTED, Step.CAUTION})
_STEPS = frozenset({Step.BEGUN, Step.LOOP, Step.WAITING, Step.MEASURED})  # of a problem that is worked on
_NOUNS = {Step.STARTING: "starting", Step.REJECTED: "left out", Step.FAILED: "not done", Step.CAUTION: "caution"}
_CAPS = ("--max-cost", "--max-tokens", "--max-requests")
MOST_SHOWN = 5  # lines that say the same of record after record
SILENT_AT_MOST_S = 120.0  # an evaluation takes hours: its log need not grow as fast as a run's


@contextmanager
def show_evaluation(*, quiet: bool, detailed: bool = False) -> Iterator[OnEvaluationEvent]:
    """Show progress on stderr while the block runs.

    Args:
        quiet: show none.
        detailed: print every step where there is no terminal.
    """
    with redirect_stdout(sys.stderr):
        if quiet:
            yield lambda _: None
        elif is_live(sys.stderr):
            with _bar() as show:
                yield show
        else:
            lines, rejected, rate, at_work = PlainLines(), _FirstFew(), Rate(), AtWork()

            def show(event: EvaluationEvent) -> None:
                is_told = detailed or (event.step in _TOLD and rejected.is_told(event))
                line = line_of(event, rate.left(event))
                doing = at_work.after(event)
                if is_told:
                    lines.show(line, ongoing=event.step is Step.STARTING)
                if event.step in _STEPS or not is_told:
                    lines.note(doing or line)

            with lines.never_silent(SILENT_AT_MOST_S):
                yield show


@dataclass(slots=True)
class _FirstFew:
    """Lets the first few records that cannot be used through: of a file in another layout, all are refused alike."""

    rejected: int = 0

    def is_told(self, event: EvaluationEvent) -> bool:
        self.rejected += event.step is Step.REJECTED
        return event.step is not Step.REJECTED or self.rejected <= MOST_SHOWN


@contextmanager
def _bar() -> Iterator[OnEvaluationEvent]:
    with open_console(sys.stderr).status("starting") as status:
        console, rejected, rate, at_work = status.console, _FirstFew(), Rate(), AtWork()

        def show(event: EvaluationEvent) -> None:
            left, doing = rate.left(event), at_work.after(event)
            if event.step in _TOLD - {Step.STARTING, Step.BEGUN} and rejected.is_told(event):
                console.print(line_of(event, left), markup=False, highlight=False)
            else:
                is_starting = event.step is Step.STARTING
                told = (line_of(event),) if is_starting else (_done(event), left, _spent(event), doing)
                status.update(" · ".join(filter(None, told)).replace("[", r"\["))

        yield show


@dataclass(slots=True)
class AtWork:
    """Tells which problem is worked on. Several share a core, and those that wait for it say nothing of the work."""

    steps: dict[str, str] = field(default_factory=dict)  # of the problems that do not wait; the newest last
    waiting: dict[str, str] = field(default_factory=dict)  # the step that waits; the first to wait first

    def after(self, event: EvaluationEvent) -> str:
        """The newest step of a problem that does not wait for a core; where all do, of the one that has waited longest.

        That one has the core by then: nothing tells that a problem has got it.
        """
        name = event.problem
        line = scrub_line(f"problem {name}: {event.detail or 'begun'}")
        before = self.steps.pop(name, line)
        self.waiting.pop(name, None)
        if event.step is Step.WAITING:
            self.waiting[name] = before
        elif event.step in _STEPS:
            self.steps[name] = line
        return next(reversed(self.steps.values()), next(iter(self.waiting.values()), ""))


@dataclass(slots=True)
class Rate:
    """How fast problems come to their end in this command once it has started, and so when the others will."""

    began: float = field(default_factory=time.monotonic)
    ended: int = 0

    def left(self, event: EvaluationEvent) -> str:
        """How long the rest takes, as it is known after this event; empty: it is not, or next to nothing is left."""
        if event.step is Step.STARTING:
            self.began = time.monotonic()
        self.ended += event.step is Step.DONE
        if not (self.ended and event.problems):
            return ""
        return time_left((event.problems - event.done) * (time.monotonic() - self.began) / self.ended)


def time_left(seconds: float) -> str:
    """How long the problems take that are left; empty if that is next to nothing."""
    minutes = round(seconds / 60)
    return f"about {count(minutes, 'minute')} for the problems left, at this rate" if minutes else ""


def line_of(event: EvaluationEvent, left: str = "") -> str:
    """One line for a person, scrubbed; `left` says how long the rest takes."""
    if event.step is Step.BEGUN:
        return scrub_line(f"problem {event.problem}: begun ({_done(event)})")
    if event.step in _NOUNS:
        return scrub_line(f"{_NOUNS[event.step]}: {event.detail}")
    parts = [event.detail, *((_done(event), left, _spent(event)) if event.step is Step.DONE else ())]
    return scrub_line(f"problem {event.problem}: {' · '.join(filter(None, parts))}")


def _done(event: EvaluationEvent) -> str:
    return f"{event.done} of {event.problems} done" if event.problems else f"{event.done} done"


def _spent(event: EvaluationEvent) -> str:
    """What models have used; empty: no model was asked."""
    if not event.requests:
        return ""
    used = f"{count(event.requests, 'request')}, {event.tokens:,} tokens"
    if event.cost_usd is None:
        return f"{used} {event.scope}, at a price that is not known"
    return f"{used}, ${event.cost_usd:.4f} {event.scope}"


def tell_unfinished_benchmark(settings: EvaluationSettings) -> None:
    """Say on stderr that a benchmark has only some of its problems yet.

    Raises:
        DatasetError: it cannot be read.
    """
    place = Path(settings.source or settings.dataset)
    if is_built(place) and (note := missing_note(place, settings.split)):
        sys.stderr.write(f"caution: {scrub_line(note)}\n")


def tell_outcome(outcome: Outcome) -> None:
    """Say what is stored, what is left out and why, and what to do next.

    Raises:
        Exit: with code 1, if something is left to do, or no problem could be scored.
    """
    folder = outcome.folder
    why = f" ({folder / REJECTED} says why)" if len(outcome.rejected) > MOST_SHOWN else ""
    left_out = f"; {count(len(outcome.rejected), 'record')} left out{why}" if outcome.rejected else ""
    unscored = len(outcome.done) - outcome.scored
    without = f", {unscored} of them without scores: the report says why" if 0 < unscored < len(outcome.done) else ""
    stored = f"stored in {folder}: {count(len(outcome.done), 'problem')}{without}"
    sys.stdout.write(f"{'nothing to store' if outcome.is_empty else stored}{left_out}\n")
    if outcome.scored:
        for line in notes_of(folder):
            sys.stdout.write(f"caution: {scrub_line(line)}\n")
    if outcome.failed:
        more_left = f", and {outcome.not_begun} not begun" if outcome.not_begun else ""
        sys.stdout.write(f"{count(len(outcome.failed), 'problem')} not done{more_left}:\n")
        for line in list(outcome.failed.values())[:MOST_SHOWN]:
            sys.stdout.write(f"  {scrub_line(line)}\n")
        if (more := len(outcome.failed) - MOST_SHOWN) > 0:
            sys.stdout.write(f"  … and {more} more\n")
        sys.stdout.write(f"{advice_after(outcome)}\n")
        raise typer.Exit(1)
    if outcome.done and not outcome.scored:
        sys.stdout.write("None of them could be scored, so there is nothing to report.\n")
        raise typer.Exit(1)
    if outcome.done:
        sys.stdout.write(f"Next: afterburner-agent eval report {folder}\n")


def advice_after(outcome: Outcome) -> str:
    """How to go on with an evaluation of which something is not done, with what has to change first."""
    command = f"afterburner-agent eval resume {shlex.quote(str(outcome.folder))}"
    caps = [f"{cap} N" for cap in _CAPS if any(f"({cap})" in line for line in outcome.failed.values())]
    if outcome.is_empty:
        return f"Nothing came of this run, so {outcome.folder} is removed again. Once that is mended, begin anew."
    if caps:
        return f"Go on with a larger cap, which counts what was used before: {command} {' '.join(caps)}"
    if outcome.done:
        return f"Go on with: {command}"
    return (
        f"Once that is mended, go on with: {command}\n"
        "That keeps the options of this run. If one of them is wrong, such as --model, begin another run with another "
        "--out."
    )
