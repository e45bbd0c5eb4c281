"""What `afterburner-agent compare` shows and writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.text import Text

from afterburner.agent.cli.compare_document import document_of
from afterburner.agent.cli.counterexample_file import write_tests
from afterburner.agent.evidence.receipt import receipt_bytes
from afterburner.agent.page.comparison_section import (
    FILES_SHOWN,
    HEADLINES,
    counterexample_lines,
    findings_of,
    min_effect_text,
    section_of_comparison,
    times_of,
)
from afterburner.agent.page.render import render_page
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import write_result
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from rich.console import Console

    from afterburner.agent.cli.outputs import Outputs
    from afterburner.agent.session.compare import ComparisonResult

_STYLES = {
    "different": "bold red",
    "conditional": "bold magenta",
    "faster": "bold green",
    "slower": "bold red",
    "same": "bold",
    "too_noisy": "bold yellow",
}


def deliver_comparison(result: ComparisonResult, outputs: Outputs) -> None:
    """Show the result to a person and write what was asked for.

    Raises:
        BrokenPipeError: nobody read the report to its end; everything else is written.
        AfterburnerError: something could not be written.
    """
    console = open_console(sys.stderr if outputs.take_stdout else sys.stdout)
    print_comparison(console, result)
    _write(result, outputs)
    if console.reader_gone:
        raise BrokenPipeError


def _write(result: ComparisonResult, outputs: Outputs) -> None:
    if outputs.json is not None:
        write_result("--json", outputs.json, document_of(result).to_text().encode("ascii"))
    if outputs.html is not None:
        section = section_of_comparison(result)
        write_result("--html", outputs.html, render_page(section.title, (), [section]).encode())
    if outputs.counterexample is not None:
        found = result.compared.counterexample
        missing = write_tests(outputs.counterexample, result.target, [("after", found.test if found else "")])
        sys.stderr.write(f"{missing}\n" if missing else "")
    if outputs.receipt is None:
        return
    if result.receipt is None:
        why = "no samples prove" if result.compared.can_be_replayed else "other calls than those of the workload prove"
        sys.stderr.write(f"no receipt is written: {why} `{result.decision.value}`\n")
    else:
        write_result("--receipt", outputs.receipt, receipt_bytes(result.receipt))


def print_comparison(console: Console, result: ComparisonResult) -> None:
    """Say what the second version is, and what that rests on."""
    headline, style = HEADLINES[result.decision], _STYLES[result.decision.value]
    compared = result.compared
    name = f"{display_path(result.target.path)} {result.target.function or ''}".strip()
    console.print(
        Text.assemble((headline, style), f"  {scrub_line(name)}: {scrub_line(compared.reason)}"), soft_wrap=True
    )
    for line in [
        _versions(result),
        *times_of(result),
        *findings_of(result),
        f"minimum effect: {min_effect_text(result)}",
    ]:
        console.print(Text(f"  {scrub_line(line)}"), soft_wrap=True)
    for who, text in counterexample_lines(compared.counterexample):
        console.print(Text(f"  {who:<8}{scrub_line(text)}"), soft_wrap=True)
    for skipped in result.skipped[:FILES_SHOWN]:
        console.print(Text(f"  left out: {scrub_line(skipped.origin)}: {scrub_line(skipped.reason)}", style="dim"))


def _versions(result: ComparisonResult) -> str:
    before = result.before_revision[:12] or display_path(result.target.path)
    after = result.after_revision[:12] or display_path(result.after_path)
    return f"before: {before}; after: {after}"
