"""Tells examples that a data set has already."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
