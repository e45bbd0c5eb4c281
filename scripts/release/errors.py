"""What is told of a step that failed."""

from __future__ import annotations


class ReleaseError(Exception):
    """Something that must not be released as it is; the message says what, where, and what to do."""
