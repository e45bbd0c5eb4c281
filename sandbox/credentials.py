"""Addresses as they may be shown: without whoever logs in there, and with what."""

from __future__ import annotations

import re

_CREDENTIALS = re.compile(r"(?<=://)[^/\s]+@")  # up to the last @ before the path


def without_credentials(text: str) -> str:
    """A text in which whatever stands before the host of an address is made unreadable: names, passwords, tokens."""
    return _CREDENTIALS.sub("***@", text)
