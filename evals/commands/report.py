"""The command `eval report`."""

from __future__ import annotations


def report() -> None:
    """Is being written."""
