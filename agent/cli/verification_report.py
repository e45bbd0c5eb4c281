"""What `afterburner-agent verify` shows and writes."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from rich.text import Text

from afterburner.agent.cli.counterexample_file import write_tests
from afterburner.agent.cli.verify_document import document_of
from afterburner.agent.inputs.choosing import is_invented
from afterburner.agent.inputs.written_calls import NONE_FROM_PROJECT
from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.agent.judge.verification.reach import lines_in_words
from afterburner.agent.wording import count
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import write_result
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.cli.outputs import Outputs
    from afterburner.agent.judge.verification.outcome import Agreement
    from afterburner.agent.judge.verify import Verification

KINDS_SHOWN = 12


def deliver_verification(
    result: Verification, outputs: Outputs, *, seed: int, float_tolerance: float | None = None
) -> None:
    """Show the result to a person and write what was asked for.

    Raises:
        BrokenPipeError: nobody read the report to its end; everything else is written.
        AfterburnerError: something could not be written.
    """
    console = open_console(sys.stderr if outputs.take_stdout else sys.stdout)
    print_verification(console, result, float_tolerance)
    if outputs.json is not None:
        document = document_of(result, seed, float_tolerance)
        write_result("--json", outputs.json, document.to_text().encode("ascii"))
    if outputs.counterexample is not None:
        test = result.found.test if isinstance(result.found, Counterexample) else ""
        missing = write_tests(outputs.counterexample, result.target, [("other", test)])
        if missing:
            console.print(missing)
    if console.reader_gone:
        raise BrokenPipeError


def print_verification(console: Console, result: Verification, float_tolerance: float | None = None) -> None:
    """Say whether they differ, and on what; or how far the search went."""
    headline, style = _headline(result)
    name = f"{display_path(result.target.path)} {result.target.function}, {display_path(result.against)}"
    console.print(Text.assemble((headline, style), f"  {name}"), soft_wrap=True)
    if result.broken_tests:
        console.print(Text(f"  {'tests':<10}{scrub_line(result.broken_tests)}"), soft_wrap=True)
    if isinstance(result.found, Counterexample):
        _print_counterexample(console, result.found)
    else:
        _print_agreement(console, result.found)
    if result.invented_inputs:
        told = f"{NONE_FROM_PROJECT}: all come from {result.invented_inputs}"
        console.print(Text(f"  {scrub_line(told)}", style="yellow"), soft_wrap=True)
    if float_tolerance is not None:
        console.print(f"  floats may differ by {float_tolerance:g} of the larger one", soft_wrap=True)
    if result.assume:
        console.print(Text(f"  stated of every input: {scrub_line('; '.join(result.assume))}"), soft_wrap=True)
    for skipped in result.skipped[:KINDS_SHOWN]:
        console.print(Text(f"  left out: {scrub_line(skipped.origin)}: {scrub_line(skipped.reason)}", style="dim"))


def _headline(result: Verification) -> tuple[str, str]:
    found = result.found
    if result.broken_tests:
        return "Different", "bold red"
    if isinstance(found, Counterexample):
        if found.is_late_once:
            return "Not known to be different", "bold magenta"
        return ("The same on a condition", "bold magenta") if found.provided else ("Different", "bold red")
    origins = result.workload_origins
    calls = "generated calls" if origins and all(map(is_invented, origins)) else "real calls"
    if not found.made(origins):
        return f"No difference found on the {calls} alone: no input was made", "bold magenta"
    alone = f" with {' and '.join(f'`{name}`' for name in found.unvaried)} only as in the {calls}"
    headline = f"No difference found{alone if found.unvaried else ''}"
    if result.untried:
        lines = lines_in_words(result.untried)
        headline += f", but no input reached {lines} of the original, which the other changes or may skip"
    kept = [f"of the kinds in the {calls}"] if found.beyond_calls is not None else []
    kept += ["that fit the type hints"] if found.beyond_hints is not None else []
    if kept:
        headline += f"{',' if found.unvaried else ''} on values {' and '.join(kept)}"
    return headline, "bold magenta" if kept or found.unvaried or result.untried else "bold green"


def _print_counterexample(console: Console, found: Counterexample) -> None:
    for number, call in enumerate(found.calls):
        label = "for" if number == 0 else "then"
        console.print(Text(f"  {label:<10}{scrub_line(call)}"), soft_wrap=True)
    console.print(Text(f"  {'original':<10}{scrub_line(found.expected)}"), soft_wrap=True)
    console.print(Text(f"  {'other':<10}{scrub_line(found.actual)}"), soft_wrap=True)
    if not _is_said(found):
        console.print(Text(f"  {'that is':<10}it {scrub_line(found.difference)}"), soft_wrap=True)
    if found.rounding:
        console.print(Text(f"  {'rounding':<10}{found.rounding.words}"), soft_wrap=True)
    if found.provided:
        console.print(Text(f"  {'condition':<10}{scrub_line(found.condition)}"), soft_wrap=True)
    if found.remark:
        more = "" if found.is_late_once else " (--max-seconds allows more)"
        told = f"{scrub_line(found.remark)}{more}"
        console.print(Text(f"  {'not known':<10}{told}"), soft_wrap=True)
    notes = [f"PYTHONHASHSEED={found.hash_seed}"] if found.hash_seed else []
    notes += [] if found.every_time else ["not every time"]
    smaller = f", made smaller {count(found.shrink_steps, 'time')}" if found.shrink_steps else ""
    notes.append(f"an input of the kind: {scrub_line(found.kind)}{smaller}")
    console.print(Text(f"  ({'; '.join(notes)})", style="dim"), soft_wrap=True)


def _is_said(found: Counterexample) -> bool:
    """Whether the difference says no more than what both did: nothing of where they first differ."""
    _, _, value = found.expected.partition(" ")  # "returned 1"
    both = re.escape(found.actual) + r" instead of (\w+ )?" + re.escape(value)
    return re.fullmatch(both, found.difference) is not None


def _print_agreement(console: Console, found: Agreement) -> None:
    why = (
        "no further kind of input was left to try" if found.exhausted else "the time was up (--max-seconds allows more)"
    )
    console.print(f"  the same on {count(found.inputs, 'input')}; {why}", soft_wrap=True)
    for kind, number in found.by_kind[:KINDS_SHOWN]:
        console.print(f"  {number:>6}  {scrub_line(kind)}", soft_wrap=True)
    if rest := sum(number for _, number in found.by_kind[KINDS_SHOWN:]):
        console.print(f"  {rest:>6}  of other kinds", soft_wrap=True)
    if found.reached:
        console.print(f"  {found.reached}", soft_wrap=True)
    for told in filter(None, (found.beyond, found.caveat)):
        console.print(Text(f"  {scrub_line(told)}"), soft_wrap=True)
