"""Takes apart what a program of ours inside the sandbox sent: `driver/host_channel.py` writes it.

The bytes are not to be trusted: code under test shares the process that writes them.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = struct.Struct(">cI")


class Frame(NamedTuple):
    """One message: a letter for its kind, and the payload."""

    kind: bytes
    payload: bytes


def split_frames(data: bytes) -> Iterator[Frame]:
    """The frames in order; one that is cut off at the end is left out, like any bytes that follow it."""
    position = 0
    while position + _HEAD.size <= len(data):
        kind, length = _HEAD.unpack_from(data, position)
        position += _HEAD.size
        if position + length > len(data):
            return
        yield Frame(kind, data[position : position + length])
        position += length
