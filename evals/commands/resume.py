"""The command `eval resume`."""

from __future__ import annotations


def resume() -> None:
    """Is being written."""
