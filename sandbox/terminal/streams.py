"""Standard streams: who watches them, and what to do when nobody does any more."""

from __future__ import annotations

import os
from typing import IO, BinaryIO, TextIO


def is_live(stream: TextIO) -> bool:
    """Say whether a person watches this stream on a terminal that can be redrawn."""
    return stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("CI")


def write_all(stream: BinaryIO, data: bytes) -> None:
    """Write all of it, or raise: under PYTHONUNBUFFERED stdout may take a part, and say no more of it."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


def abandon(stream: IO[str]) -> None:
    """Point a stream whose reader has gone to nowhere, so that Python's own flush at the end does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
