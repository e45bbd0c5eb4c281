"""What holds in every call that somebody wrote down, and breaks in calls that were made of them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from afterburner.agent.inputs.choosing import is_invented
from afterburner.agent.inputs.chosen_blobs import smallest_blobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.inputs.harness import Harness
    from afterburner.agent.inputs.harness_answers import Assumption
    from afterburner.agent.types import WorkloadCall

MOST_CALLS = 300  # that an assumption has to hold in


def broken_assumptions(
    harness: Harness, calls: Sequence[WorkloadCall], made: Sequence[bytes]
) -> tuple[Assumption, ...]:
    """The assumptions that each of the made calls breaks, the most telling first; see `inside/assumptions.py`.

    Args:
        harness: of the original.
        calls: of the workload; those that were made themselves say nothing.
        made: blobs.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    real = [call for call in calls if not is_invented(call.origin)]
    if not real or not made:
        return ()
    known = smallest_blobs(real, MOST_CALLS)
    fields = {"blobs": list(map(_text, known)), "made": list(map(_text, made))}
    return harness.ask_of_original("assumptions", "assumed", fields).assumptions


def _text(blob: bytes) -> str:
    return base64.b64encode(blob).decode("ascii")
