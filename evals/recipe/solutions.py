"""Human solutions: each text once, and a choice of them that does not depend on the order of a file."""

from __future__ import annotations

import random
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def distinct(solutions: Iterable[str]) -> list[str]:
    """Each solution once, in the given order; texts that differ in whitespace alone are the same, the first counts."""
    found: dict[str, str] = {}
    for code in solutions:
        if code.strip():
            found.setdefault("\n".join(" ".join(line.split()) for line in code.splitlines() if line.strip()), code)
    return list(found.values())


def in_trial_order(solutions: list[str], most: int | None, seed: str) -> list[str]:
    """The order in which solutions are tried, until `most` have passed; None: all are tried, in the given order.

    Sorted by length, they fall into `most` groups of one size; the order takes one at random from each group, then the
    second of each, and so on. So those that are chosen are spread over short and long programs, and the choice is the
    same for the same seed, however the file was sorted.
    """
    if most is None:
        return list(solutions)
    chance = random.Random(seed)  # noqa: S311 - an order, and no secret
    ordered = sorted(solutions, key=lambda code: (len(code), code))
    bounds = [len(ordered) * number // most for number in range(most + 1)]
    groups = [ordered[start:end] for start, end in pairwise(bounds)]
    for group in groups:
        chance.shuffle(group)
    return [code for turn in zip_longest(*groups) for code in turn if code is not None]
