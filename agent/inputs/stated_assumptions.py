"""What is stated of every call and does not hold in all that somebody wrote down; in none: a slip, or mere words."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.inputs.harness_answers import MAX_REASON, scrub

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.inputs.harness import Harness
    from afterburner.agent.types import WorkloadCall


@dataclass(frozen=True, slots=True)
class Unmet:
    """An expression that not all calls keep to, in how many it holds, and why the first other does not keep to it."""

    expression: str
    held: int
    why: str  # "it is false", "it raises NameError: …"


def unmet_assumptions(harness: Harness, expressions: Sequence[str], calls: Sequence[WorkloadCall]) -> tuple[Unmet, ...]:
    """The expressions that do not hold in all of the calls; none where nothing can be told.

    Args:
        harness: of the original.
        expressions: over the parameters.
        calls: that the project makes itself.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if not expressions or not calls:
        return ()
    blobs = [base64.b64encode(call.blob).decode("ascii") for call in calls]
    told = harness.ask_of_original("stated", "stated", {"blobs": blobs, "assume": list(expressions)}).told
    found = []
    for body in told:
        match body:
            case {"expression": str(expression), "held": int(held), "why": str(why)} if (
                expression in expressions and 0 <= held < len(calls)
            ):
                found.append(Unmet(expression, held, scrub(why, MAX_REASON)))
    return tuple(found)
