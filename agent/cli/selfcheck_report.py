"""Prints what a check of the machine has found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from afterburner.agent.judge.min_effect import HIGHEST, LOWEST
from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.agent.wording import count, format_ratio
from afterburner.sandbox.terminal.formatting import format_seconds
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from afterburner.agent.selfcheck.findings import Findings, Rate


def print_findings(console: Console, findings: Findings, stored: Path | None, *, interrupted: bool) -> None:
    """Print the noise, the rates and what follows from them."""
    if interrupted:
        console.print("Interrupted: this is what is known so far.", style="bold yellow")
    _print_floors(console, findings)
    console.print()
    _print_rate(
        console, f"Decisions on identical code, best of six, at {_percent(findings.decided_at)}", findings.offered
    )
    _print_rate(console, "Tests of identical code alone", findings.accepted)
    if findings.failed:
        console.print(
            f"{count(findings.failed, 'comparison')} did not finish: the time was up, or the machine too busy.",
            style="yellow",
        )
    _print_known(console, findings)
    _print_min_effect(console, findings, stored)
    if findings.machine is not None:
        machine = findings.machine
        console.print(
            f"Measured on {scrub_line(machine.cpu_model)} ({machine.cpus} CPUs), {scrub_line(machine.system)}, Python "
            f"{scrub_line(machine.python)}, {scrub_line(machine.backend)}, tier {scrub_line(machine.tier)}, in "
            f"{findings.elapsed_s:.0f} s.",
            style="dim",
        )


def _print_floors(console: Console, findings: Findings) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("a call takes")
    for heading in ("blocks", "CPU time", "wall time", "found with 95% power"):
        table.add_column(heading, justify="right")
    for floor in findings.floors:
        gain = "-" if floor.smallest_gain is None else format_ratio(floor.smallest_gain)
        sds = ["-" if sd is None else f"±{100 * sd:.1f}%" for sd in (floor.cpu_sd, floor.wall_sd)]
        table.add_row(format_seconds(floor.call_s), str(floor.blocks), *sds, gain)
    console.print(table)
    console.print("CPU and wall time: spread of one block's ratio of two equal programs (robust standard deviation).")


def _print_rate(console: Console, what: str, rate: Rate) -> None:
    if not rate.trials:
        console.print(f"{what}: none was made.", style="yellow")
        return
    bound = f"the rate is at most {100 * rate.upper_bound:.2g}% (95% confidence)"
    if rate.hits:
        console.print(f"{what}: {rate.hits} of {rate.trials} ACCEPTED; {bound}.", style="bold red")
    else:
        console.print(f"{what}: 0 of {rate.trials} accepted; {bound}.", style="green")


def _print_known(console: Console, findings: Findings) -> None:
    known = findings.known
    if known is not None:
        console.print(f"A true gain of {format_ratio(known.gain)} was found {known.found} of {known.trials} times.")


def _print_min_effect(console: Console, findings: Findings, stored: Path | None) -> None:
    if findings.false_accepts:
        console.print(
            "Identical code was accepted here. Do not trust small gains on this machine: let it rest and check "
            "again, or raise --min-effect.",
            style="bold red",
        )
    effect = findings.min_effect
    if effect is None or stored is None:
        why = "too little was measured" if effect is None else "the check did not finish"
        console.print(f"The default minimum effect is unchanged: {why}.", style="yellow")
        return
    bound = {LOWEST: " (the least: below it names and memory layout decide)", HIGHEST: " (the most)"}.get(effect, "")
    console.print(
        f"Minimum effect on this machine: {_percent(effect)}{bound}, in place of {_percent(DEFAULT_MIN_EFFECT)}. "
        f"run uses it unless --min-effect says otherwise; it is kept in {display_path(str(stored))}.",
        soft_wrap=True,
    )
    if effect == HIGHEST:
        console.print("This machine is too noisy to find anything but large gains.", style="bold yellow")


def _percent(share: float) -> str:
    return f"{100 * share:g}%"
