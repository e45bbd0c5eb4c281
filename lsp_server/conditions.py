"""What a run that offers nothing says of rewrites that are the same on a condition, and what its user can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.loop.results import RunResult

_REMEDY = (
    "If such a condition always holds, state it: with a type hint, with the expression on a line below `Requires:` in "
    "the docstring, or with the setting afterburner.assume. Then run the action again."
)


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
