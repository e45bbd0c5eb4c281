"""How ratios and numbers of things are written, in reasons, summaries and tables alike."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

from afterburner.sandbox.terminal.formatting import three_digits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import Gain


AS_FAST = 0.005  # what a ratio may be below 1 and still be written as `1.00x`
SMALL = 0.1  # a ratio below it would lose its digits
LARGER_CALLS = "to see what pays only on larger inputs than these, give calls of the size that counts with --calls"
_SMALL_SHARE, _LEAST_SHARE = 0.0995, 0.001  # from the first on, a share without decimals has two digits
_MORE_DECIMALS, _MOST_DECIMALS = 3, 6  # where two would hide a difference
GAINS = "it gains "  # before a ratio


def format_ratio(ratio: float) -> str:
    """`2.31x`, `23.1x`, `231x`, `0.021x`: how many times smaller the candidate's figure is."""
    if not math.isfinite(ratio):
        return "-"
    return f"{ratio:.2g}x" if 0 < ratio < SMALL else f"{three_digits(ratio)}x"


def format_beside(ratios: Sequence[float], *limits: float) -> list[str]:
    """The ratios, then the limits, with the digits that show on which side of each limit a ratio lies.

    So 1.053 beside a limit of 1.05 is `1.053x` beside `1.050x`.
    """
    decimals = dict.fromkeys((*ratios, *limits), 0)

    def told(ratio: float) -> str:
        return f"{ratio:.{decimals[ratio]}f}x" if decimals[ratio] else format_ratio(ratio)

    def is_wrong(pair: tuple[float, float]) -> bool:
        return _side(*pair) != _side(*(float(told(each).removesuffix("x")) for each in pair))

    pairs = list(product(filter(math.isfinite, ratios), limits))
    for more in range(_MORE_DECIMALS, _MOST_DECIMALS + 1):
        while wrong := [each for pair in pairs if is_wrong(pair) for each in pair if decimals[each] < more]:
            decimals |= dict.fromkeys(wrong, more)
    return [told(each) for each in (*ratios, *limits)]


def _side(ratio: float, limit: float) -> int:
    return (ratio > limit) - (ratio < limit)


def format_gain(ratio: float, figure: str) -> str:
    """`2.31x`; `2.31x (wall time)` where the figure is named."""
    return f"{format_ratio(ratio)} ({figure})" if figure else format_ratio(ratio)


def format_change(ratio: float) -> str:
    """`2.31x faster`, `91.0x slower`: a gain in time in words, which nobody has to invert."""
    return f"{format_ratio(ratio)} faster" if ratio >= 1 or ratio <= 0 else f"{format_ratio(1 / ratio)} slower"


def format_by_size(small: float, large: float) -> str:
    """`1.90x on small inputs to 38.0x on large ones`, or `1.50x slower on small inputs, 38.0x faster on large ones`."""
    if min(small, large) > 1 - AS_FAST:
        return f"{format_ratio(max(small, 1.0))} on small inputs to {format_ratio(max(large, 1.0))} on large ones"
    return f"{format_change(small)} on small inputs, {format_change(large)} on large ones"


def format_interval(gain: Gain) -> str:
    """`2.10x to 2.45x`: the bounds of a gain."""
    return f"{format_ratio(gain.low)} to {format_ratio(gain.high)}"


def format_share(share: float, decimals: int = 0) -> str:
    """`62%`, `4.1%`, `<0.1%`, `0%`: below a tenth with a decimal, and never 0 for what is something."""
    if 0 < share < _LEAST_SHARE:
        return f"<{_LEAST_SHARE:.1%}"
    return f"{share:.{max(decimals, int(0 < share < _SMALL_SHARE))}%}"


def shorten_middle(text: str, most: int) -> str:
    """At most `most` characters of a text, two thirds of them from its beginning, the others from its end."""
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 1]}…{text[len(text) - end :]}"


def count(number: int, noun: str) -> str:
    """`1 line`, `2 lines`; nouns ending in -ch take -es."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}{'es' if noun.endswith('ch') else 's'}"
