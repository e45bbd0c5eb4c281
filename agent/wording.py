"""How ratios and numbers of things are written, in reasons, summaries and tables alike."""

from __future__ import annotations

import math


def format_ratio(ratio: float) -> str:
    """`2.31x`, `23.1x`, `231x`: how many times smaller the candidate's figure is."""
    return f"{three_digits(ratio)}x" if math.isfinite(ratio) else "-"


def three_digits(value: float) -> str:
    """Three significant digits, from 1 on."""
    magnitude = abs(value)
    digits = 2 if magnitude < 10 else 1 if magnitude < 100 else 0
    return f"{value:.{digits}f}"


def count(number: int, noun: str) -> str:
    """`1 line`, `2 lines`; nouns ending in -ch take -es."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('ch') else 's'}"
