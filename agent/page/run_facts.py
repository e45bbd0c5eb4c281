"""What the result of a run rests on, in labelled lines: the terminal and the page tell the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.usage import told
from afterburner.agent.wording import count, format_interval, format_ratio
from afterburner.sandbox.terminal.formatting import format_kib
from afterburner.sandbox.terminal.text import format_elapsed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from afterburner.agent.evidence.samples import SampleFigures
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import Gain, JudgedCandidate, Machine, Readability, Skipped

    Facts: TypeAlias = list[tuple[str, str]]

SHOWN = 8  # origins, and inputs that were skipped, before the rest is only counted


def facts_of(result: RunResult) -> Facts:
    """What it was judged and measured on, where, by which model and how long; nothing is scrubbed."""
    return [
        ("Judged on", origins_text(result.workload_origins)),
        ("Held out", _held_out(result)),
        *skipped_facts(result.skipped),
        ("Measured on", machine_text(result.machine)),
        *([("Model use", told(result.usage))] if result.usage is not None else []),
        ("Run", f"{result.run_id}, {format_elapsed(result.elapsed_s)} min"),
    ]


def origins_text(origins: Sequence[tuple[str, int]]) -> str:
    """How many inputs came from where."""
    shown = [f"{inputs} {origin}" for origin, inputs in origins[:SHOWN]]
    if rest := sum(inputs for _, inputs in origins[SHOWN:]):
        shown.append(f"{rest} more")
    return ", ".join(shown) or "-"


def skipped_facts(skipped: Sequence[Skipped]) -> Facts:
    """The inputs that were left out, and why."""
    facts = [("Skipped", f"{each.origin}: {each.reason}") for each in skipped[:SHOWN]]
    if len(skipped) > SHOWN:
        facts.append(("Skipped", f"{len(skipped) - SHOWN} more; --json lists them all"))
    return facts


def machine_text(machine: Machine) -> str:
    """The machine, the system, what ran the code, and the sandbox with the tier that watched its limits."""
    runtime = machine.toolchain or f"Python {machine.python}"
    return (
        f"{machine.cpu_model} ({machine.cpus} CPUs, {format_kib(machine.memory_kib)}), {machine.system}, {runtime}, "
        f"{machine.backend}, tier {machine.tier}"
    )


def gain_text(gain: Gain) -> str:
    """The gain and the interval of its test."""
    return (
        f"{format_ratio(gain.ratio)}, and with {gain.confidence * 100:g}% confidence between "
        f"{format_ratio(gain.low)} and {format_ratio(gain.high)}"
    )


def gains_note(candidates: Sequence[JudgedCandidate]) -> str:
    """What the gains of a table of candidates are over, where that need not be the original; else empty."""
    later = any(each.gain is not None and each.iteration > 1 for each in candidates)
    return "Each gain is over the best version before its round; before round 1 that is the original." if later else ""


def samples_text(gain: Gain, samples: SampleFigures) -> str:
    """How many samples are behind a gain."""
    before, after = len(samples.before), len(samples.after)
    each = count(before, "sample") + " of each version" if before == after else f"{before} before and {after} after"
    return f"{each} in {count(gain.pairs, 'block')}, each in a fresh process; {gain.confidence * 100:g}% confidence"


def cost_text(cost: Readability) -> str:
    """What a rewrite costs its reader."""
    branches = f"{count(abs(cost.branches_added), 'branch')} {'fewer' if cost.branches_added < 0 else 'added'}"
    return f"{count(cost.lines_added, 'line')} added, {cost.lines_removed} removed, {branches}"


def _held_out(result: RunResult) -> str:
    held_out = result.held_out
    inputs = count(held_out.inputs, "input")
    if not held_out.passed:
        return f"{inputs}, failed"
    if not result.improved:
        return f"{inputs}, kept for confirming a winner"
    gain = f", gain {format_ratio(held_out.gain.ratio)} ({format_interval(held_out.gain)})" if held_out.gain else ""
    return f"{inputs} that selection never saw, passed{gain}"
