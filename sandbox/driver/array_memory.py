"""Which memory the arrays and tensors of an outcome lie in: whoever writes into one changes all that share it."""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, List, Optional, Tuple

if TYPE_CHECKING:
    from .value_encoder import Encoder


class _Memory:
    """Stretches of memory that arrays were met in, disjoint and in order, with the first array's number in each."""

    def __init__(self) -> None:
        self._starts: List[int] = []
        self._stretches: List[Tuple[int, int]] = []  # end, number
        self._met = 0

    def meet(self, low: int, high: int) -> Optional[Tuple[int, int]]:
        """Take in a stretch; the number of the first array that it overlaps, and how far into its stretch it begins."""
        number, self._met = self._met, self._met + 1
        first = max(bisect.bisect_right(self._starts, low) - 1, 0)
        while first < len(self._starts) and self._stretches[first][0] <= low:
            first += 1
        last = first
        start, end, found = low, high, None
        while last < len(self._starts) and self._starts[last] < high:
            stretch_end, owner = self._stretches[last]
            if found is None or owner < found[0]:
                found = (owner, low - self._starts[last])
            start, end = min(start, self._starts[last]), max(end, stretch_end)
            last += 1
        self._starts[first:last] = [start]
        self._stretches[first:last] = [(end, number if found is None else found[0])]
        return found


def meet(encoder: Encoder, low: int, high: int) -> Optional[Tuple[int, int]]:
    """See `_Memory.meet`; of one outcome as a whole."""
    outermost = encoder.outermost()
    if outermost.memory is None:
        outermost.memory = _Memory()
    found: Optional[Tuple[int, int]] = outermost.memory.meet(low, high)
    return found
