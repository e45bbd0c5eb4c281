"""Splits problems into those for training and those for testing, by their ids alone."""

from __future__ import annotations

import hashlib

TRAIN, TEST = "train", "test"
_HASHES = 2**32


def split_of(problem_id: str, test_share: float) -> str:
    """Tell which split a problem belongs to: the same one on every machine, whichever other problems there are."""
    place = int(hashlib.sha256(problem_id.encode("utf-8", "surrogatepass")).hexdigest()[:8], 16)
    return TEST if place < test_share * _HASHES else TRAIN
