"""`afterburner-agent verify FILE --against OTHER`: does a function of two files do the same?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from afterburner.agent.cli.counterexample_file import write_tests
from afterburner.agent.cli.from_options import option_of
from afterburner.agent.cli.outputs import COUNTEREXAMPLE_HELP, JSON_HELP, Outputs, destination_option
from afterburner.agent.cli.progress import ProgressStyle, progress_option, quiet_option, show_progress, style_of
from afterburner.agent.cli.verify_document import document_of
from afterburner.agent.job.job import Job
from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.agent.options import VERIFY_S, InputOptions, Search
from afterburner.agent.session.session import open_session
from afterburner.agent.wording import count
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import write_result
from afterburner.sandbox.terminal.options import filled
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.judge.verification.outcome import Agreement
    from afterburner.agent.judge.verification.verify import Verification

DIFFERENT = 1  # the exit code
KINDS_SHOWN = 12


def verify(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The file with the original.", show_default=False, callback=filled)
    ],
    *,
    against: Annotated[
        str,
        typer.Option(metavar="OTHER", callback=filled, help="Another whole file, which runs in place of FILE."),
    ],
    function: Annotated[
        str,
        typer.Option(
            "--function", "-f", metavar="NAME", callback=filled, help="The function, or Class.method, in both files."
        ),
    ],
    calls: Annotated[
        str | None,
        option_of(
            InputOptions, "calls", help_text="A Python file whose execution calls the function: inputs to start from."
        ),
    ] = None,
    python: Annotated[str | None, option_of(InputOptions, "python")] = None,
    seed: Annotated[int, option_of(Search, "seed")] = 0,
    max_seconds: Annotated[float, option_of(Search, "max_seconds", help_text="Time budget, seconds.")] = VERIFY_S,
    fresh: Annotated[bool, option_of(Search, "fresh")] = False,
    float_tolerance: Annotated[float | None, option_of(InputOptions, "float_tolerance")] = None,
    assume: Annotated[list[str] | None, option_of(InputOptions, "assume")] = None,
    json: Annotated[str | None, destination_option(JSON_HELP)] = None,
    counterexample: Annotated[str | None, destination_option(COUNTEREXAMPLE_HELP)] = None,
    progress: Annotated[ProgressStyle, progress_option()] = ProgressStyle.TEXT,
    quiet: Annotated[bool, quiet_option()] = False,
) -> None:
    """Search for an input on which a function of two files differs.

    Inputs are found as for `run`, then changed and recombined. Exit code 0: no difference; 1: one was found.
    """
    outputs = Outputs(json=json, counterexample=counterexample)
    outputs.check(Path(file), "the file with the original")
    outputs.check(Path(against), "the other file")
    with show_progress(None, style_of(progress, quiet=quiet)) as on_event:
        inputs = InputOptions(calls=calls, python=python, float_tolerance=float_tolerance, assume=tuple(assume or ()))
        original = Job.from_file(file, function=function, inputs=inputs)
        other = Job.from_file(against, function=function)
        with open_session() as session:
            search, writes_test = Search(seed=seed, max_seconds=max_seconds, fresh=fresh), counterexample is not None
            result = session.verify(original, other, search, writes_test=writes_test, on_event=on_event)
    console = open_console(sys.stderr if outputs.take_stdout else sys.stdout)
    print_verification(console, result, float_tolerance)
    if json is not None:
        write_result("--json", json, document_of(result, seed, float_tolerance).to_text().encode("ascii"))
    if counterexample is not None:
        test = result.found.test if isinstance(result.found, Counterexample) else ""
        missing = write_tests(counterexample, result.target, [("other", test)])
        if missing:
            console.print(missing)
    if console.reader_gone:
        raise BrokenPipeError
    raise typer.Exit(0 if result.agrees else DIFFERENT)


def print_verification(console: Console, result: Verification, float_tolerance: float | None = None) -> None:
    """Say whether they differ, and on what; or how far the search went."""
    headline, style = ("No difference found", "bold green") if result.agrees else ("Different", "bold red")
    if isinstance(result.found, Counterexample) and result.found.provided:
        headline, style = "The same on a condition", "bold magenta"
    name = f"{display_path(result.target.path)} {result.target.function}, {display_path(result.against)}"
    console.print(Text.assemble((headline, style), f"  {name}"), soft_wrap=True)
    if isinstance(result.found, Counterexample):
        _print_counterexample(console, result.found)
    else:
        _print_agreement(console, result.found)
    if float_tolerance is not None:
        console.print(f"  floats may differ by {float_tolerance:g} of the larger one", soft_wrap=True)
    if result.assume:
        console.print(Text(f"  stated of every input: {scrub_line('; '.join(result.assume))}"), soft_wrap=True)
    for skipped in result.skipped[:KINDS_SHOWN]:
        console.print(Text(f"  left out: {scrub_line(skipped.origin)}: {scrub_line(skipped.reason)}", style="dim"))


def _print_counterexample(console: Console, found: Counterexample) -> None:
    for number, call in enumerate(found.calls):
        label = "for" if number == 0 else "then"
        console.print(Text(f"  {label:<10}{scrub_line(call)}"), soft_wrap=True)
    console.print(Text(f"  {'original':<10}{scrub_line(found.expected)}"), soft_wrap=True)
    console.print(Text(f"  {'other':<10}{scrub_line(found.actual)}"), soft_wrap=True)
    console.print(Text(f"  {'that is':<10}it {scrub_line(found.difference)}"), soft_wrap=True)
    if found.rounding:
        console.print(Text(f"  {'rounding':<10}{found.rounding.words}"), soft_wrap=True)
    if found.provided:
        console.print(Text(f"  {'condition':<10}{scrub_line(found.condition)}"), soft_wrap=True)
    notes = [f"PYTHONHASHSEED={found.hash_seed}"] if found.hash_seed else []
    notes += [] if found.every_time else ["not every time"]
    notes.append(f"an input of the kind: {scrub_line(found.kind)}, made smaller {found.shrink_steps} times")
    console.print(Text(f"  ({'; '.join(notes)})", style="dim"), soft_wrap=True)


def _print_agreement(console: Console, found: Agreement) -> None:
    why = "no new inputs were left" if found.exhausted else "the time was up"
    console.print(f"  the same on {count(found.inputs, 'input')}; {why}", soft_wrap=True)
    for kind, number in found.by_kind[:KINDS_SHOWN]:
        console.print(f"  {number:>6}  {scrub_line(kind)}", soft_wrap=True)
    if rest := sum(number for _, number in found.by_kind[KINDS_SHOWN:]):
        console.print(f"  {rest:>6}  of other kinds", soft_wrap=True)
    if found.reached:
        console.print(f"  {found.reached}", soft_wrap=True)
    for told in filter(None, (found.beyond, found.caveat)):
        console.print(Text(f"  {scrub_line(told)}"), soft_wrap=True)
