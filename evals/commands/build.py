"""The command `eval build`."""

from __future__ import annotations


def build() -> None:
    """Is being written."""
