"""Text from a sandbox, as it may be shown."""

from __future__ import annotations

from afterburner.sandbox.visible import visible


def scrub_bytes(text: bytes, most: int = 65_536) -> str:
    """Text from a sandbox as it may be shown: decoded, bounded (the middle goes), what cannot be seen escaped."""
    if len(text) > most:
        half = most // 2
        text = text[:half] + f"\n[{len(text) - 2 * half} bytes left out]\n".encode() + text[-half:]
    return visible(text.decode("utf-8", errors="replace"), keep="\t\n")
