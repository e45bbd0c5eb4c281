"""Which candidates are judged at all: those that fit into the file, pass the gates and are no work done before."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from afterburner.agent.code.foreign_code import attempted
from afterburner.agent.code.same_work import key_of
from afterburner.agent.errors import TargetError
from afterburner.agent.judge.confirmation import ORIGINAL
from afterburner.agent.judge.gates import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import Candidate


def objections(
    candidates: Sequence[Candidate], earlier: Sequence[Candidate], original: str, language: str
) -> dict[str, str]:
    """Say why candidates are refused without being run, by their ids; the others are judged.

    Args:
        candidates: those of one round.
        earlier: those of all rounds before.
        original: the text of the user's file.
        language: in which it is written.
    """
    seen = {key_of(original, language): ORIGINAL}
    for record in earlier:
        seen.setdefault(key_of(record.source, language), record.id)
    found = {}
    for candidate in candidates:
        try:
            reason = candidate.error or attempted(partial(refusal, original, candidate.source, language), "checked")
            if not reason:
                same = seen.setdefault(attempted(partial(key_of, candidate.source, language), "compared"), candidate.id)
                reason = f"the same code as {same}" if same != candidate.id else None
        except TargetError as error:
            reason = str(error)
        if reason:
            found[candidate.id] = reason
    return found
