"""The command `eval datasets`."""

from __future__ import annotations


def datasets() -> None:
    """Is being written."""
