"""Searches a song book for phrases."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple


class Hits(NamedTuple):
    total: int
    line: int  # the first of those with the most


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def find_phrases(lines: Sequence[str], phrases: Sequence[str]) -> dict[str, Hits]:
    """How often each phrase is in the lines, whatever its case and spacing, and where most often.

    Raises:
        ValueError: a phrase is blank, or there is no line to search.
    """
    found = {}
    for phrase in phrases:
        wanted = _plain(phrase)
        if not wanted:
            raise ValueError(f"blank phrase: {phrase!r}")
        per_line = []
        for line in lines:
            text = _plain(line)
            hits = 0
            for start in range(len(text)):
                if text.startswith(wanted, start):
                    hits += 1
            per_line.append(hits)
        best = max(range(len(per_line)), key=per_line.__getitem__)
        found[phrase] = Hits(sum(per_line), best)
    return found


if __name__ == "__main__":
    words = "river valley morning star over the golden hill and down to the sea where my true love waits for me".split()
    chance = random.Random(88)
    for size in (480, 410, 540, 450, 500):
        song = ["  ".join(chance.sample(words, k=9)).capitalize() for _ in range(size)]
        song[size // 2] = "La  la la, " + song[size // 3]
        asked = [" ".join(chance.sample(words, k=1 + n % 3)) for n in range(34)] + ["Golden  Hill", "la, "]
        hits = find_phrases(song, asked)
        total = sum(each.total for each in hits.values())
        print(f"{size} lines: {total} hits, {hits[asked[0]]}, {hits['Golden  Hill']}")
