"""How counts and ratios are written for people."""

from __future__ import annotations

import math

from afterburner.agent.wording import count, format_ratio


def test_counting() -> None:
    assert [count(1, "line"), count(2, "line"), count(0, "branch")] == ["1 line", "2 lines", "0 branches"]


def test_a_ratio_that_is_none_is_a_dash() -> None:
    assert format_ratio(math.nan) == "-"
