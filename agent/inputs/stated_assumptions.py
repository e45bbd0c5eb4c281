"""What is stated of every call and holds in none that somebody wrote down: a slip, or words taken for an expression."""

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
    """An expression that no call keeps to, and why the first does not."""

    expression: str
    why: str  # "it is false", "it raises NameError: …"


def unmet_assumptions(harness: Harness, expressions: Sequence[str], calls: Sequence[WorkloadCall]) -> tuple[Unmet, ...]:
    """The expressions that hold in none of the calls; none where nothing can be told.

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
    told = harness.ask("stated", "stated", {"blobs": blobs, "assume": list(expressions)}).told
    found = []
    for body in told:
        match body:
            case {"expression": str(expression), "held": 0, "why": str(why)} if expression in expressions:
                found.append(Unmet(expression, scrub(why, MAX_REASON)))
    return tuple(found)
