"""What of the context fits into a budget of tokens: the most useful pieces first, long ones as an outline."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from afterburner.agent.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

BYTES_PER_TOKEN = 3.5  # of source code, for the usual tokenizers; the estimate needs none of them
_LARGEST_SHARE = 0.4  # of the budget that one piece may take; beyond that its outline has to do
_TITLE_TOKENS = 15  # of a section of the prompt, with its fences
_TOLD_TOKENS = 40  # kept for the line that says what is left out
_NAMED = 4  # of the pieces that are left out


class Use(IntEnum):
    """What a piece is to the target; the smaller, the more useful."""

    DOCUMENTATION = 0
    IMPORTS = 1
    CALLED = 2
    TYPE = 3
    CONSTANT = 4
    TEST = 5
    CALLER = 6
    FURTHER = 7  # what the pieces above use in their turn


_WORDS = {
    Use.DOCUMENTATION: "docstring",
    Use.IMPORTS: "import block",
    Use.CALLED: "called function",
    Use.TYPE: "type",
    Use.CONSTANT: "constant",
    Use.TEST: "test",
    Use.CALLER: "caller",
    Use.FURTHER: "further definition",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """Something worth telling. `outline` is what to tell where `text` is too long; empty: nothing."""

    use: Use
    file: str  # in the project; empty for the target's own file
    name: str
    text: str
    outline: str = ""


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text takes: its bytes in UTF-8 by 3.5, rounded up."""
    return math.ceil(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN)


def fit(pieces: Sequence[Piece], tokens: int) -> tuple[list[Piece], str]:
    """Choose what fits.

    Returns:
        The pieces in the order of their use, the text of some replaced by their outline, and a line that says what was
        cut or left out; empty if nothing was.
    """
    ordered = sorted(pieces, key=lambda piece: piece.use)
    titles = dict.fromkeys(Use, _TITLE_TOKENS)  # until the first piece of a kind is chosen
    everything = sum(map(_cost, ordered)) + _TITLE_TOKENS * len({piece.use for piece in ordered})
    left = tokens if everything <= tokens else tokens - _TOLD_TOKENS
    chosen: list[Piece] = []
    cut: list[str] = []
    gone: list[Piece] = []
    for piece in ordered:
        short = Piece(piece.use, piece.file, piece.name, piece.outline)
        room = left - titles[piece.use]
        if _cost(piece) <= min(room, max(_LARGEST_SHARE * tokens, _TOLD_TOKENS)):
            chosen.append(piece)
        elif piece.outline and _cost(short) <= room:
            chosen.append(short)
            cut.append(piece.name)
        else:
            gone.append(piece)
            continue
        left = room - _cost(chosen[-1])
        titles[piece.use] = 0
    return chosen, _told(cut, gone)


def _cost(piece: Piece) -> int:
    """A piece with the line that names its file, and the line ends around it."""
    return estimate_tokens(f"# {piece.file}\n{piece.text}\n\n")


def _told(cut: Sequence[str], gone: Sequence[Piece]) -> str:
    parts = []
    if cut:
        more = f" and {len(cut) - _NAMED} more" if len(cut) > _NAMED else ""
        parts.append(f"only outlined: {', '.join(cut[:_NAMED])}{more}")
    if gone:
        kinds = Counter(piece.use for piece in gone)
        parts.append("left out: " + ", ".join(count(number, _WORDS[use]) for use, number in sorted(kinds.items())))
    return f"(For lack of room {'; '.join(parts)}.)" if parts else ""
