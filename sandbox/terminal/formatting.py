"""Figures for people: three significant digits, and the unit that suits."""

from __future__ import annotations

import math


def three_digits(value: float) -> str:
    """Three significant digits, from 1 on."""
    magnitude = abs(value)
    digits = 2 if magnitude < 10 else 1 if magnitude < 100 else 0
    return f"{value:.{digits}f}"


def format_seconds(seconds: float) -> str:
    """Three significant digits with the unit that suits: `1.23 s`, `45.6 ms`, `789 µs`."""
    if not math.isfinite(seconds):
        return "-"
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if abs(seconds) * factor >= 1.0:
            return f"{three_digits(seconds * factor)} {unit}"
    return f"{three_digits(seconds * 1e6)} µs"


def format_kib(kib: float, per: str = "") -> str:
    """Three significant digits of KiB, MiB or GiB; `per` follows the unit (`·s` for an integral)."""
    if not math.isfinite(kib):
        return "-"
    for factor, unit in ((1024.0 * 1024.0, "GiB"), (1024.0, "MiB")):
        if abs(kib) >= factor:
            return f"{three_digits(kib / factor)} {unit}{per}"
    return f"{three_digits(kib)} KiB{per}"
