"""How ratios are written, in reasons, summaries and tables alike."""

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
