"""Text from a sandbox, as it may be shown."""

from __future__ import annotations


def scrub_bytes(text: bytes, most: int = 65_536) -> str:
    """Text from a sandbox as it may be shown: decoded, bounded (the middle goes), without control characters."""
    if len(text) > most:
        half = most // 2
        text = text[:half] + f"\n[{len(text) - 2 * half} bytes left out]\n".encode() + text[-half:]
    decoded = text.decode("utf-8", errors="replace")
    return "".join(c if c in "\n\t" or c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in decoded)
