"""Calls that a language model writes for a function that nothing calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.inputs.choosing import DERIVED, GENERATED, WRITTEN_BY, is_invented
from afterburner.agent.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from afterburner.agent.types import Target, WrittenCalls

LEAST_CALLS = 3  # usable ones; an answer with fewer is of no use
SNIPPET_S = 10.0  # for running all of an answer
MOST_CALL_S = 0.5  # wall time of one call
NONE_FROM_PROJECT = "none of its inputs is from your project"


@dataclass(frozen=True, slots=True)
class CallWriter:
    """The language model that is asked for calls of a function that nothing calls.

    `write` raises a ProposerError where there is no answer with any.
    """

    name: str
    write: Callable[[Target], WrittenCalls]


def written_origin(model: str) -> str:
    """Where the calls that a model wrote come from, in words."""
    return f"{WRITTEN_BY}{model}"


def invented_inputs(origins: Iterable[tuple[str, int]]) -> str:
    """Say what a workload is made of if none of it comes from the project or the user; empty: some of it does.

    Args:
        origins: of inputs, each with how many there are.
    """
    told = [(origin, _told(origin, inputs)) for origin, inputs in origins]
    return ", ".join(words for _, words in told) if all(is_invented(origin) for origin, _ in told) else ""


def _told(origin: str, inputs: int) -> str:
    if origin == GENERATED:
        return f"{count(inputs, 'call')} made from type hints"
    if origin == DERIVED:
        return f"{count(inputs, 'edge case')} made from the others"
    return f"{count(inputs, 'call')} {origin}"
