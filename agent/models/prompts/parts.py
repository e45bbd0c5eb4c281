"""The parts that a proposer plays beside proposing: a sceptic, an author of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.models.prompts.proposer import Proposer


def parts_of(proposer: Proposer) -> Iterator[object]:
    """Everything that may play another part: the members of a chain, the parts of a recording, else the proposer.

    A chain has an attribute `members`. A recording has an attribute `parts`, which holds only what was recorded.
    """
    for member in getattr(proposer, "members", (proposer,)):
        yield from getattr(member, "parts", (member,))
