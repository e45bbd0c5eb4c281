"""Text that may be shown."""

from __future__ import annotations

from afterburner.sandbox.scrubbing import scrub_bytes


def test_scrubbed_text_keeps_its_ends_and_its_lines() -> None:
    assert scrub_bytes("größe\n\tok".encode()) == "größe\n\tok"
    assert scrub_bytes(b"\xff\x00\x9b") == "\ufffd\\x00\ufffd"
    long = scrub_bytes(b"start" + b"-" * 1000 + b"end", most=100)
    assert long.startswith("start")
    assert long.endswith("end")
    assert "bytes left out" in long
    assert len(long) < 200
