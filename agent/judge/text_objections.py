"""What the gate that reads texts says of the two versions of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.judge.gates import refusal
from afterburner.agent.judge.two_sided import against_before

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class TextObjections:
    """What the gate that reads texts finds in each version that the other one does not have; empty: nothing."""

    before: str = ""
    after: str = ""

    @classmethod
    def between(cls, texts: Iterable[tuple[str, str]], language: str = PYTHON) -> TextObjections:
        """The first finding for each version in these pairs of texts, of BEFORE and of AFTER."""
        found = [(refusal(after, before, language), refusal(before, after, language)) for before, after in texts]
        before, after = (next(filter(None, said), "") for said in zip(*found, strict=True))
        return cls(before and against_before(before), after)


def texts_to_hold_against(old: Mapping[str, str | None], new: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """The texts of files by the same names, of BEFORE and of AFTER, as far as either can be held against a version.

    A file that AFTER lacks is none of these, nor is one that AFTER has under another name. None: there is no such file.
    """
    moved = {text for name, text in old.items() if text is not None and new[name] is None}
    return [
        (old[name] or "", text)
        for name, text in new.items()
        if text is not None and (old[name] is not None or text not in moved)
    ]
