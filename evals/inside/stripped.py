"""Judges as APPS_Python does: both texts are the same but for whitespace at their beginnings and ends."""

from __future__ import annotations

from .checking import judge


def check() -> None:
    """Judge an output."""
    judge(lambda: _rule, texts=True)


def _rule(_given: str, output: str, answer: str) -> object:
    return None if output.strip() == answer.strip() else "the output differs from the expected one"
