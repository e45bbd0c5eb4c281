"""The conditions of an answer: what the user states of every input, and what would have to be stated for an offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.types import Decision
from afterburner.lsp_server.inputs_note import tests_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.loop.results import RunResult

_REMEDY = (
    "If such a condition always holds, state it: with a type hint, with the expression on a line below `Requires:` in "
    "the docstring, or with the setting afterburner.assume. Then run the action again."
)
_MOST_GIVEN = 50  # characters of what is stated
_MORE_GIVEN = "for the inputs that afterburner.assume or `Requires:` allow"


def given(assume: Sequence[str], most: int = _MOST_GIVEN, more: str = _MORE_GIVEN) -> str:
    """`given `width > 0``: what an answer rests on if its user states something of every input; empty: nothing.

    Args:
        assume: what is stated.
        most: characters of it.
        more: is told in place of longer ones.
    """
    if not assume:
        return ""
    told = " and ".join(f"`{each}`" for each in assume)
    return f"given {told}" if len(told) <= most else more


def summary_of(result: RunResult) -> str:
    """What a run has found to offer, in one sentence, with what that rests on, and which tests it lacks."""
    told = ", ".join(filter(None, [result.summary, given(result.assume)]))
    return "; ".join(filter(None, [told, tests_note(result)]))


def conditions_of(result: RunResult) -> str:
    """Each condition with a call that breaks it, and the remedy, in lines; empty: there is none."""
    lines = list(_lines(result))
    return "\n".join([*lines, _REMEDY] if lines else [])


def _lines(result: RunResult) -> Iterator[str]:
    for each in result.candidates:
        if each.decision is Decision.CONDITIONAL:
            yield f"Candidate {each.id} ({each.proposer}): {each.reason}"
            if each.counterexample:
                yield f"    for example {each.counterexample}"
