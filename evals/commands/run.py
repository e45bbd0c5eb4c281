"""The command `eval run`."""

from __future__ import annotations


def run() -> None:
    """Is being written."""
