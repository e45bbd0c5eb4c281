"""Builds a benchmark for the command line: what a person sees meanwhile, and at the end."""

from __future__ import annotations

import shlex
import sys
import time
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from afterburner.agent.usage import counted
from afterburner.evals.commands.showing import MOST_SHOWN, SILENT_AT_MOST_S, time_left
from afterburner.evals.datasets.built import LEFT_OUT, PROBLEMS, done_in
from afterburner.evals.datasets.sources import VENUS, layout_hint
from afterburner.evals.recipe.build import build_benchmark
from afterburner.evals.recipe.events import Outcome
from afterburner.evals.recipe.framing import RAW_SPLIT, read_raw_problems
from afterburner.sandbox import open_sandbox
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.plain_lines import PlainLines
from afterburner.sandbox.terminal.streams import is_live
from afterburner.sandbox.terminal.text import format_elapsed, scrub_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from afterburner.evals.recipe.build import BuildRequest, BuildSummary
    from afterburner.evals.recipe.events import BuildEvent, CoreUse

    Show = Callable[[BuildEvent | Outcome], object]

NONE_KEPT = 4


def carry_out(request: BuildRequest, sandbox: str, *, quiet: bool) -> None:
    """Build what is left of a benchmark, show progress, and say what is in it.

    Raises:
        AfterburnerError: as `build_benchmark`.
    """
    try:
        with open_sandbox(sandbox) as opened, _progress(quiet=quiet) as show:
            raws = read_raw_problems(request.source, request.settings.language)
            summary = build_benchmark(request, raws, opened, on_event=show, on_outcome=show)
    except KeyboardInterrupt:
        command = shlex.join(["afterburner-agent", *sys.argv[1:]])
        sys.stderr.write(f"{stored_so_far(request.out)} The same command goes on:\n  {command}\n")
        raise
    tell_summary(request, summary)


def stored_so_far(out: Path) -> str:
    """What an interrupted build has stored in its folder."""
    done = done_in(out)
    if not any(done.values()):
        return "No problem was finished, so nothing is stored yet; the problem at hand starts anew."
    kept = f"{counted(done[PROBLEMS], 'problem')} kept, {done[LEFT_OUT]} left out"
    return f"Stored in {out}: {kept}. The problem at hand starts anew."


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Show]:
    """Show progress on stderr: on a terminal with a line that is redrawn, elsewhere by a line for each problem."""
    alike: Counter[str] = Counter()

    def is_told(event: BuildEvent | Outcome) -> bool:
        """Whether it is a line of its own: a reason that many problems share is told of the first few."""
        if isinstance(event, Outcome):
            alike[event.reason] += 1
        return isinstance(event, Outcome) and (not event.reason or alike[event.reason] <= MOST_SHOWN)

    if quiet:
        yield lambda _: None
    elif not is_live(sys.stderr):
        lines = PlainLines()

        def print_outcome(event: BuildEvent | Outcome) -> None:
            tell = lines.show if is_told(event) else lines.note
            tell(line_of(event))

        with lines.never_silent(SILENT_AT_MOST_S):
            yield print_outcome
    else:
        began = time.monotonic()

        def timed(event: BuildEvent | Outcome) -> str:
            return f"[{format_elapsed(time.monotonic() - began)}] {line_of(event)}"

        with open_console(sys.stderr).status("starting") as status:

            def redraw(event: BuildEvent | Outcome) -> None:
                if is_told(event):
                    status.console.print(timed(event), markup=False, highlight=False)
                else:
                    status.update(timed(event).replace("[", r"\["))

            yield redraw


def line_of(event: BuildEvent | Outcome) -> str:
    """One line for a person, scrubbed."""
    if not isinstance(event, Outcome):
        done = f" ({event.done} of {event.total})" if event.total else ""
        return scrub_line(f"{_problem(event)}: {event.doing}{done}")
    if event.reason:
        return scrub_line(f"{_problem(event)}: left out: {event.reason}{_left(event)}")
    notes = "".join(f"; {note}" for note in event.notes)
    return scrub_line(
        f"{_problem(event)}: kept: {_references(event)}, {event.public_cases} public and "
        f"{counted(event.private_cases, 'private case')}, {event.elapsed_s:.0f} s{notes}{_left(event)}"
    )


def _references(outcome: Outcome) -> str:
    """How many references a problem has, and of how many solutions, if some were dropped, with the reasons."""
    if not outcome.dropped:
        return counted(outcome.references, "reference")
    given = outcome.references + sum(count for count, _ in outcome.dropped)
    reasons = ", ".join(f"{count} {reason}" for count, reason in outcome.dropped)
    return f"{counted(outcome.references, 'reference')} of {given} solutions ({reasons})"


def _left(outcome: Outcome) -> str:
    """How long the other problems take, if they take as long; empty if that is next to nothing."""
    told = time_left(outcome.left_s)
    return f"; {told}" if told else ""


def _problem(event: BuildEvent | Outcome) -> str:
    of = f" ({event.number} of {event.problems})" if event.problems else ""
    return f"problem {event.problem_id}{of}"


def tell_summary(request: BuildRequest, summary: BuildSummary) -> None:
    """Say what is in the folder, why something is not, and how well the cores were used.

    Raises:
        Exit: with code 4, if it holds no problem.
    """
    kept, before = summary.counts["problems"], summary.done_before
    others = f" and {summary.other_left_out} more by earlier builds of it" if summary.other_left_out else ""
    sys.stdout.write(
        f"{request.out} holds {counted(kept, 'problem')}; {len(summary.left_out)} left out{others}"
        f"{f'; {before} had been done before' if before else ''}.\n"
    )
    for name, reason in summary.left_out[:MOST_SHOWN]:
        sys.stdout.write(f"  {scrub_line(f'{name}: {reason}')}\n")
    if (more := len(summary.left_out) - MOST_SHOWN) > 0:
        sys.stdout.write(f"  … and {more} more; the table {request.out / LEFT_OUT} has the reasons of all\n")
    least = request.settings.least_solutions
    if least > 1 and any(request.settings.too_few in reason for _, reason in summary.left_out):
        sys.stdout.write(
            "To keep problems with fewer solutions, give a smaller --least-solutions and another folder as --out.\n"
        )
    sys.stdout.write(
        f"Time: {format_elapsed(summary.elapsed_s)}. {_used('Running solutions', summary.running)} "
        f"{_used('Measuring references', summary.timing)}\n"
    )
    if not kept:
        sys.stdout.write("No problem could be kept, so there is no benchmark to run.\n")
        if hint := layout_hint(request.source, VENUS, RAW_SPLIT):
            sys.stdout.write(f"eval build needs raw problems in the layout of Venus. {scrub_line(hint)}\n")
        raise typer.Exit(NONE_KEPT)
    built = shlex.quote(str(request.out))
    sys.stdout.write(f"Next: afterburner-agent eval run --dataset {built} --model NAME --out DIR\n")


def _used(doing: str, use: CoreUse) -> str:
    return f"{doing}: a program ran in {use.share:.0%} of {use.slot_s:.0f} s of core time."
