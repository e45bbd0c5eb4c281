"""`afterburner-agent verify FILE --against OTHER`: does a function of two files do the same?"""

from __future__ import annotations

import json as json_module
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from afterburner.agent.cli.from_options import option_of
from afterburner.agent.cli.outputs import JSON_HELP, destination_option
from afterburner.agent.cli.progress import ProgressStyle, progress_option, quiet_option, show_progress, style_of
from afterburner.agent.job import Job
from afterburner.agent.options import VERIFY_S, InputOptions, Search
from afterburner.sandbox.terminal.destinations import STDOUT, check_destination, write_result
from afterburner.sandbox.terminal.options import filled
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
    from afterburner.agent.judge.verification.verify import Verification

SCHEMA = 1
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
    float_tolerance: Annotated[float | None, option_of(InputOptions, "float_tolerance")] = None,
    json: Annotated[str | None, destination_option(JSON_HELP)] = None,
    progress: Annotated[ProgressStyle, progress_option()] = ProgressStyle.TEXT,
    quiet: Annotated[bool, quiet_option()] = False,
) -> None:
    """Search for an input on which a function of two files differs.

    Inputs are found as for `run`, then changed and recombined. Exit code 0: no difference; 1: one was found.
    """
    from afterburner.sandbox.terminal.console import open_console  # noqa: PLC0415 - likewise

    if json is not None:
        check_destination("--json", json, Path(file), "the file with the original")
        check_destination("--json", json, Path(against), "the other file")
    with show_progress(None, style_of(progress, quiet=quiet)) as on_event:
        from afterburner.agent.session import open_session  # noqa: PLC0415 - likewise

        inputs = InputOptions(calls=calls, python=python, float_tolerance=float_tolerance)
        original = Job.from_file(file, function=function, inputs=inputs)
        other = Job.from_file(against, function=function)
        with open_session() as session:
            result = session.verify(original, other, Search(seed=seed, max_seconds=max_seconds), on_event=on_event)
    console = open_console(sys.stderr if json == STDOUT else sys.stdout)
    print_verification(console, result, float_tolerance)
    if json is not None:
        document = to_document(result, seed, float_tolerance)
        write_result("--json", json, (json_module.dumps(document, indent=2) + "\n").encode("ascii"))
    if console.reader_gone:
        raise BrokenPipeError
    raise typer.Exit(0 if result.agrees else DIFFERENT)


def print_verification(console: Console, result: Verification, float_tolerance: float | None = None) -> None:
    """Say whether they differ, and on what; or how far it was looked."""
    from rich.text import Text  # noqa: PLC0415 - not needed to answer --help

    from afterburner.agent.judge.verification.outcome import Counterexample  # noqa: PLC0415 - likewise

    headline, style = ("No difference found", "bold green") if result.agrees else ("Different", "bold red")
    name = f"{display_path(result.target.path)} {result.target.function}, {display_path(result.against)}"
    console.print(Text.assemble((headline, style), f"  {name}"), soft_wrap=True)
    if isinstance(result.found, Counterexample):
        _print_counterexample(console, result.found)
    else:
        _print_agreement(console, result.found)
    if float_tolerance is not None:
        console.print(f"  floats may differ by {float_tolerance:g} of the larger one", soft_wrap=True)
    for skipped in result.skipped[:KINDS_SHOWN]:
        console.print(Text(f"  left out: {scrub_line(skipped.origin)}: {scrub_line(skipped.reason)}", style="dim"))


def _print_counterexample(console: Console, found: Counterexample) -> None:
    from rich.text import Text  # noqa: PLC0415 - not needed to answer --help

    for number, call in enumerate(found.calls):
        label = "for" if number == 0 else "then"
        console.print(Text(f"  {label:<10}{scrub_line(call)}"), soft_wrap=True)
    console.print(Text(f"  {'original':<10}{scrub_line(found.expected)}"), soft_wrap=True)
    console.print(Text(f"  {'other':<10}{scrub_line(found.actual)}"), soft_wrap=True)
    console.print(Text(f"  {'that is':<10}it {scrub_line(found.difference)}"), soft_wrap=True)
    notes = [f"PYTHONHASHSEED={found.hash_seed}"] if found.hash_seed else []
    notes += [] if found.every_time else ["not every time"]
    notes.append(f"an input of the kind: {scrub_line(found.kind)}, made smaller {found.shrink_steps} times")
    console.print(Text(f"  ({'; '.join(notes)})", style="dim"), soft_wrap=True)


def _print_agreement(console: Console, found: Agreement) -> None:
    from afterburner.agent.wording import count  # noqa: PLC0415 - not needed to answer --help

    why = "no new inputs were left" if found.exhausted else "the time was up"
    console.print(f"  the same on {count(found.inputs, 'input')}; {why}", soft_wrap=True)
    for kind, number in found.by_kind[:KINDS_SHOWN]:
        console.print(f"  {number:>6}  {scrub_line(kind)}", soft_wrap=True)
    if rest := sum(number for _, number in found.by_kind[KINDS_SHOWN:]):
        console.print(f"  {rest:>6}  of other kinds", soft_wrap=True)


def to_document(result: Verification, seed: int, float_tolerance: float | None) -> dict[str, Any]:
    """The documented dictionary: schema 1, described in docs/cli.md and in verify-schema.json beside this file."""
    from afterburner.agent.judge.verification.outcome import Counterexample  # noqa: PLC0415 - not needed to answer --help

    found = result.found
    counterexample = None
    if isinstance(found, Counterexample):
        counterexample = {
            "calls": list(found.calls),
            "expected": found.expected,
            "actual": found.actual,
            "difference": found.difference,
            "kind": found.kind,
            "hash_seed": found.hash_seed,
            "every_time": found.every_time,
            "shrink_steps": found.shrink_steps,
        }
    by_kind = () if isinstance(found, Counterexample) else found.by_kind
    return {
        "schema": SCHEMA,
        "target": {"file": result.target.path, "function": result.target.function},
        "against": result.against,
        "decision": "no_difference" if result.agrees else "different",
        "counterexample": counterexample,
        "inputs": [{"kind": kind, "inputs": number} for kind, number in by_kind],
        "exhausted": not isinstance(found, Counterexample) and found.exhausted,
        "skipped": [asdict(skipped) for skipped in result.skipped],
        "machine": asdict(result.machine),
        "seed": seed,
        "float_tolerance": float_tolerance,
        "elapsed_s": result.elapsed_s,
    }
