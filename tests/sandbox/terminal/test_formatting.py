"""Figures carry the unit that suits."""

from __future__ import annotations

import math

import pytest

from afterburner.sandbox.terminal.formatting import format_kib, format_seconds


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(1.234, "1.23 s"), (123.4, "123 s"), (0.0456, "45.6 ms"), (0.000789, "789 µs"), (0.0, "0.00 µs")],
)
def test_seconds(seconds: float, shown: str) -> None:
    assert format_seconds(seconds) == shown


@pytest.mark.parametrize(("kib", "shown"), [(12, "12.0 KiB"), (2048, "2.00 MiB"), (3 * 1024 * 1024, "3.00 GiB")])
def test_memory(kib: float, shown: str) -> None:
    assert format_kib(kib) == shown


def test_figures_that_are_none_are_a_dash() -> None:
    assert format_seconds(math.nan) == format_kib(math.inf) == "-"
