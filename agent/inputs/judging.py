"""How the outcomes of calls are compared, where it is not to the last bit, under the real clock and on any input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.stated_assumptions import stated_as_called
from afterburner.sandbox.tolerance import ABSOLUTE_FLOOR

if TYPE_CHECKING:
    from afterburner.agent.types import Workload

STATED_BY = "by --assume or `Requires:`"  # `ci` has other words for it


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
            f"you state that the real calls show all that matters about {told}: where no other value could be made, "
            "none was tried"
        )
    if stated := "; ".join(each for each in workload.assume if not stated_as_called([each])):
        notes.append(
            f"you state of every input, {STATED_BY} in the docstring: {stated}. No input was made that "
            "breaks it, so nothing is known of those"
        )
    return tuple(notes)
