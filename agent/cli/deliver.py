"""The order in which a run's result is shown and written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.cli.counterexample_file import write_tests
from afterburner.agent.cli.offer import weigh
from afterburner.agent.cli.pages import page_of_run
from afterburner.agent.cli.run_document import document_of
from afterburner.agent.cli.summary import print_summary
from afterburner.agent.code.patch import is_written, patch_bytes, write_atomically
from afterburner.agent.evidence.growth_svg import growth_svg
from afterburner.agent.evidence.receipt import receipt_bytes
from afterburner.agent.types import Decision
from afterburner.agent.wording import LARGER_CALLS
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import STDOUT, write_result
from afterburner.sandbox.terminal.program_name import program_name
from afterburner.sandbox.terminal.text import confirm, display_path, is_interactive

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.cli.outputs import Outputs
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings

_RULES = "rules"
_RULES_END_HERE = (
    f"{LARGER_CALLS.capitalize()}. The embedded rules "
    "know a few patterns; `--model NAME` asks a language model for other rewrites, and"
)


def deliver(result: RunResult, settings: RunSettings, outputs: Outputs) -> None:
    """Show the result to a person and write what was asked for.

    The diff comes before the user's file and the JSON after it, so that a file that cannot be replaced any more
    costs neither, and the JSON can say whether the rewrite was applied. The user's file is left as it is where
    something that was to be written before it could not be.

    Raises:
        BrokenPipeError: nobody read the report to its end; everything else is written.
        AfterburnerError: something could not be written; the JSON was, if that is possible.
    """
    console = open_console(sys.stderr if outputs.take_stdout else sys.stdout)
    offer = weigh(result, settings.proof.min_gain_per_line)
    print_summary(console, result, offer)
    holds = offer.offered and is_written(
        result.target, result.best_source
    )  # an earlier run, or one that was killed, applied it
    applied, problem, missing = holds and outputs.apply, None, []
    try:
        if outputs.patch is not None and offer.offered:
            write_result("--patch", outputs.patch, patch_bytes(result.target, result.patch))
        missing = _write_evidence(result, outputs)
        if outputs.html is not None:
            write_result("--html", outputs.html, page_of_run(result, settings).encode())
        if outputs.apply and offer.offered and not holds:
            applied = _apply(result, ask=not outputs.yes)
    except AfterburnerError as error:
        problem = error
    if outputs.json is not None:
        write_result("--json", outputs.json, document_of(result, settings, applied=applied).to_text().encode("ascii"))
    if problem is not None:
        raise problem
    for each in missing:
        console.print(each, soft_wrap=True)
    _print_next(console, result, outputs, offered=offer.offered, applied=applied, holds=holds)
    if console.reader_gone:
        raise BrokenPipeError


def _write_evidence(result: RunResult, outputs: Outputs) -> list[str]:
    """Write the receipt and the picture of an improvement; a sentence for each that is wanted and cannot be had."""
    evidence, missing = result.evidence, []
    receipt, growth = (evidence.receipt, evidence.growth) if evidence is not None else (None, None)
    if outputs.receipt is not None:
        if receipt is not None:
            write_result("--receipt", outputs.receipt, receipt_bytes(receipt))
        else:
            missing.append("No receipt was written: nothing was confirmed.")
    if outputs.growth_svg is not None:
        if growth is not None and growth.points:
            title = f"{Path(result.target.path).name} {result.target.function or ''}".strip()
            write_result("--growth-svg", outputs.growth_svg, growth_svg(growth, title).encode())
        else:
            why = growth.note if growth is not None else "growth was not measured"
            missing.append(f"No picture was written: {why}.")
    if outputs.counterexample is not None:
        tests = [(f"candidate_{each.id}", each.counterexample_test) for each in result.candidates]
        missing.append(write_tests(outputs.counterexample, result.target, tests))
    return list(filter(None, missing))


def _apply(result: RunResult, *, ask: bool) -> bool:
    if ask and is_interactive() and not confirm(f"Write the rewrite to {display_path(result.target.path)}?"):
        return False
    write_atomically(result.target, result.best_source)
    return True


def _print_next(
    console: Console, result: RunResult, outputs: Outputs, *, offered: bool, applied: bool, holds: bool
) -> None:
    """Say what was written and what to do next."""
    name = display_path(result.target.path)
    if not offered:
        if outputs.patch is not None:
            console.print("No patch was written: there is nothing to offer.")
        elif outputs.apply:
            console.print(f"{name} is unchanged: there is nothing to offer.", soft_wrap=True)
        if result.model == _RULES and all(each.decision is Decision.NOT_BETTER for each in result.candidates):
            console.print(f"{_RULES_END_HERE} `{program_name()} compare` judges one of your own.", soft_wrap=True)
        return
    if outputs.patch not in (None, STDOUT):
        console.print(f"The patch is in {display_path(str(outputs.patch))}.", soft_wrap=True)
    if holds:
        console.print(f"{name} holds this rewrite already.", soft_wrap=True)
    elif applied:
        console.print(f"Written to {name}.", soft_wrap=True)
    elif outputs.apply:
        console.print(f"Nothing was written to {name}.", soft_wrap=True)
    else:
        console.print(f"{name} is unchanged. This writes the rewrite:", soft_wrap=True)
        console.print(f"    {program_name()} resume {result.run_id} --apply", soft_wrap=True)
