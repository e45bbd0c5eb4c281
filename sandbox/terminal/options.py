"""What the values of options have to look like."""

from __future__ import annotations

import math
import re
from typing import Any

import typer

from afterburner.sandbox.errors import UsageError

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_FACTORS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def filled(value: str | None) -> str | None:
    """For a callback: a text that says something."""
    if value is not None and not value.strip():
        raise typer.BadParameter("it is empty.")
    return value


def json_option() -> Any:
    """`--json FILE|-`: where the result goes as JSON."""
    help_text = "Write the result as JSON to FILE; - is stdout, which then carries nothing else."
    return typer.Option("--json", metavar="FILE|-", callback=filled, help=help_text)


def above_zero(value: float) -> float:
    """For a callback: a finite number above 0."""
    if not (math.isfinite(value) and value > 0):
        raise typer.BadParameter(f"{value:g} is not a number above 0.")
    return value


def above_zero_if_given(value: float | None) -> float | None:
    """The same for an option that may be left out."""
    return None if value is None else above_zero(value)


def zero_or_more(value: float) -> float:
    """For a callback: a finite number, not negative."""
    if not (math.isfinite(value) and value >= 0):
        raise typer.BadParameter(f"{value:g} is not a number of 0 or more.")
    return value


def read_size(option: str, text: str, least: int, most: int) -> int:
    """Bytes from a size such as `256M`, `1.5G`, `64KiB` or `1048576`; the units are powers of 1024.

    Args:
        option: for messages.
        text: what was given.
        least: bytes.
        most: bytes.

    Raises:
        UsageError: it is no size, or out of bounds.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{option} {text}: this is not a size. Write a number with K, M, G or T, such as 256M.")
    size = int(float(match[1]) * _FACTORS[match[2].upper()])
    if size < least:
        hint = " Without a unit it is bytes." if match[2] == "" else ""
        raise UsageError(f"{option} {text}: the least is {_as_size(least)}.{hint}")
    if size > most:
        raise UsageError(f"{option} {text}: the most is {_as_size(most)}.")
    return size


def _as_size(size: int) -> str:
    for unit in ("T", "G", "M", "K"):
        if size % _FACTORS[unit] == 0:
            return f"{size // _FACTORS[unit]}{unit}"
    return f"{size} bytes"
