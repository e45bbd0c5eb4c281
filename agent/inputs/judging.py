"""How the outcomes of calls are compared, where it is not to the last bit, under the real clock and on any input."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from afterburner.sandbox.tolerance import ABSOLUTE_FLOOR

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterburner.agent.types import Workload

AS_CALLED = "as_called"  # what `--assume` calls to state it (`inside/assumptions.py`)


def judging_notes(workload: Workload) -> tuple[str, ...]:
    """What a user has to know about how the calls of a workload are judged; nothing where outcomes must be equal."""
    notes = []
    if workload.float_tolerance is not None:
        notes.append(
            f"floats are not compared exactly: they may differ by {workload.float_tolerance:g} of the larger one, "
            f"or by {ABSOLUTE_FLOOR:g}"
        )
    if workload.fixed_clock:
        notes.append(
            "the function depends on the time: it was judged and measured with clocks held still, except "
            "for a millisecond at each reading"
        )
    if names := stated_as_called(workload.assume):
        told = " and ".join(f"`{name}`" for name in sorted(names))
        notes.append(
            f"no other {told} was tried than those of the real calls, where none could be made: you state that they "
            "show all that matters"
        )
    if workload.assume:
        stated = "; ".join(workload.assume)
        notes.append(
            f"you state of every input, by --assume or `Requires:` in the docstring: {stated}. No input was made that "
            "breaks it, so nothing is known of those"
        )
    return tuple(notes)


def stated_as_called(assume: Iterable[str]) -> set[str]:
    """The parameters of which `as_called(x)` states that the real calls show all that matters about them."""
    return {
        name.id
        for text in assume
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == AS_CALLED
        for name in node.args
        if isinstance(name, ast.Name)
    }
