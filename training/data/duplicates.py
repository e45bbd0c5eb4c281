"""Tells examples that a data set has already."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from afterburner.training.data.card import Card
    from afterburner.training.data.examples import Example

_TEXTS = ("prompt", "completion", "chosen", "rejected")


@dataclass(slots=True)
class Duplicates:
    """The texts that were seen so far."""

    _seen: set[str] = field(default_factory=set)

    def is_new(self, example: Example) -> bool:
        """Whether no example had these texts before; from now on one has."""
        key = hashlib.sha256(json.dumps([example.get(part) for part in _TEXTS]).encode()).hexdigest()
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def pick_new(self, examples: Iterable[Example], card: Card) -> Iterator[Example]:
        """The examples of one problem or run that are new; the card counts them, and the others as duplicates."""
        found = False
        for example in examples:
            if not self.is_new(example):
                card.duplicates += 1
                continue
            card.add(example)
            found = True
            yield example
        card.problems += found
