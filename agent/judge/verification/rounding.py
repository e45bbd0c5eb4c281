"""What a report says of a rewrite that differs from the original by rounding alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

from afterburner.agent.wording import count
from afterburner.sandbox.tolerance import ABSOLUTE_FLOOR

ROOM = 10  # times the largest difference that was seen: what inputs to come may need
LEAST_ADVISED = 1e-12


@dataclass(frozen=True, slots=True)
class Rounding:
    """A rewrite differs from the original by rounding alone.

    `largest` is the largest relative difference of two floats on `inputs` inputs, `differing` of which differ at all.
    """

    largest: float
    differing: int
    inputs: int

    @property
    def advised_tolerance(self) -> float:
        """A value for `--float-tolerance` that would do, with some room."""
        if self.largest <= LEAST_ADVISED / ROOM:
            return LEAST_ADVISED
        return float(f"1e{math.ceil(math.log10(self.largest * ROOM))}")

    @property
    def words(self) -> str:
        """For a report: how much they differ, and what would allow it."""
        size = f"{self.largest:.1e} of the larger number" if self.largest else f"{ABSOLUTE_FLOOR:g}"
        return (
            f"only rounding differs, on {self.differing} of {count(self.inputs, 'input')} and by at most {size}; "
            f"--float-tolerance {self.advised_tolerance:g} allows it"
        )
