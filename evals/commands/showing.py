"""What a person sees of an evaluation: a bar on a terminal, plain lines in a pipe; at the end, what is left to do."""

from __future__ import annotations

import sys
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

import typer

from afterburner.agent.wording import count
from afterburner.evals.running.progress import EvaluationEvent, Step
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.plain_lines import PlainLines
from afterburner.sandbox.terminal.streams import is_live
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.evals.running.ledger import Outcome
    from afterburner.evals.running.progress import OnEvaluationEvent

_TOLD = frozenset({Step.BEGUN, Step.DONE, Step.FAILED, Step.REJECTED})  # in a pipe; the steps between are many

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
            lines = PlainLines()

            def show(event: EvaluationEvent) -> None:
                tell = lines.show if event.step in _TOLD or detailed else lines.note
                tell(line_of(event))

            with lines.never_silent(SILENT_AT_MOST_S):
                yield show


@contextmanager
def _bar() -> Iterator[OnEvaluationEvent]:
    with open_console(sys.stderr).status("starting") as status:
        console = status.console

        def show(event: EvaluationEvent) -> None:
            if event.step in _TOLD and event.step is not Step.BEGUN:
                console.print(line_of(event), markup=False, highlight=False)
            else:
                status.update(f"{event.done} done · {_spent(event)}{line_of(event)}".replace("[", r"\["))

        yield show


def line_of(event: EvaluationEvent) -> str:
    """One line for a person, scrubbed."""
    if event.step is Step.BEGUN:
        return scrub_line(f"{event.problem}: begun")
    if event.step is Step.REJECTED:
        return scrub_line(f"left out: {event.detail}")
    if event.step is Step.FAILED:
        return scrub_line(f"not done: {event.detail}")
    spent = f" · {_spent(event).rstrip(' ·')}" if event.step is Step.DONE and event.requests else ""
    return scrub_line(f"{event.problem}: {event.detail}{spent}")


def _spent(event: EvaluationEvent) -> str:
    if not event.requests:
        return ""
    cost = "price not known" if event.cost_usd is None else f"${event.cost_usd:.4f}"
    return f"{event.requests:,} requests, {event.tokens:,} tokens, {cost} in this command · "


def tell_outcome(outcome: Outcome) -> None:
    """Say what is stored, what is left out and why, and what to do next.

    Raises:
        Exit: with code 1, if something is left to do, or no problem could be scored.
    """
    folder = outcome.folder
    left_out = f"; {count(len(outcome.rejected), 'record')} left out" if outcome.rejected else ""
    sys.stdout.write(f"stored in {folder}: {count(len(outcome.done), 'problem')}{left_out}\n")
    if outcome.failed:
        sys.stdout.write(f"{count(len(outcome.failed), 'problem')} not done:\n")
        for line in outcome.failed.values():
            sys.stdout.write(f"  {scrub_line(line)}\n")
        sys.stdout.write(f"Go on with: afterburner-agent eval resume {folder}\n")
        raise typer.Exit(1)
    if outcome.done and not outcome.scored:
        sys.stdout.write("None of them could be scored, so there is nothing to report.\n")
        raise typer.Exit(1)
    if outcome.done:
        sys.stdout.write(f"Next: afterburner-agent eval report {folder}\n")
