"""What a run tells while it works."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """Something a person who waits wants to know."""

    stage: str  # prepare | generate | profile | select | confirm
    message: str  # "1.3 rules: join-strings: 1.8x (1.7 to 1.9)"
    iteration: int = 0
    best_ratio: float | None = None  # of the incumbent over the original, as far as known
    spent: str = ""  # "3 requests, 4,210 tokens, $0.0031": what language models have cost so far
