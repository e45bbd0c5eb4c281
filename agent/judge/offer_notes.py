"""What a user should know about an offer beside its gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.judge.caches import kept_between_calls
from afterburner.sandbox.terminal.formatting import format_kib

if TYPE_CHECKING:
    from afterburner.agent.judge.comparison import Comparison
    from afterburner.agent.judge.confirmation import Incumbent
    from afterburner.agent.judge.verification.outcome import Agreement


def notes_of(winner: Incumbent, original: Incumbent, made: Agreement, comparison: Comparison) -> list[str]:
    """How far no difference was found on made inputs, and what the winner keeps between calls.

    Args:
        winner: a rewrite in Python.
        original: what it is held against.
        made: the inputs on which both did the same.
        comparison: of the two, with its samples.
    """
    told = f"on inputs made to find a difference it is {made.line}"
    notes = [told if made.inputs else "no input could be made to find a difference: only the workload's were tried"]
    kept = kept_between_calls(original.source, winner.source)
    if kept:
        samples = [sample.kept_bytes for block in comparison.blocks for sample in block.after]
        kept_bytes = max((size for size in samples if size is not None), default=0)
        memory = f" and holds {format_kib(kept_bytes / 1024)} after one" if kept_bytes else ""
        where = ", ".join(kept)
        notes.append(f"it keeps results between calls ({where}){memory}: only the gain of first calls is counted")
    return notes
