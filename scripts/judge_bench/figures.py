"""What the records of `make bench-judge` come to."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any

from scripts.judge_bench.corpus import PARTS, Kind
from scripts.judge_bench.trial import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADS = ("part", "rewrites", "offered", "conditional", "refused", "run ended", "median s")


def rows(records: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """A row for each part and kind of which there are records, wrong ones first."""
    found = []
    for kind in (Kind.WRONG, Kind.HONEST):
        for part in PARTS:
            mine = [each for each in records if (each["part"], each["kind"]) == (part, kind)]
            if mine:
                outcomes = Counter(each["outcome"] for each in mine)
                counts = (str(outcomes[outcome]) for outcome in Outcome)
                seconds = f"{median(each['seconds'] for each in mine):.1f}"
                found.append((part.replace("_", " "), f"{len(mine)} {kind}", *counts, seconds))
    return found


def mistakes(records: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each wrong rewrite that was offered, and for each honest one that was not."""
    lines = []
    for each in records:
        if each["kind"] == Kind.WRONG and each["outcome"] == Outcome.OFFERED:
            lines.append(f"offered though wrong ({each['aspect']}): {each['key']}")
        elif each["kind"] == Kind.HONEST and each["outcome"] != Outcome.OFFERED:
            lines.append(f"{each['outcome']} though right: {each['key']}: {' '.join(each['reason'].split())}")
    return lines
