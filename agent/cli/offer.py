"""Whether an improvement is worth its reader's time: `--min-gain-per-line`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult


@dataclass(frozen=True, slots=True)
class Offer:
    """Whether the rewrite may be written, and one sentence why not.

    `gain_per_line` is (gain ratio - 1) per added line; None where there is no gain or no line was added.
    """

    offered: bool
    reason: str = ""
    gain_per_line: float | None = None


def weigh(result: RunResult, min_gain_per_line: float) -> Offer:
    """Offer an improvement unless its gain per added line is below the user's threshold (0: always offer)."""
    if not result.improved or result.gain is None:
        return Offer(offered=False, reason=result.summary)
    added = result.readability.lines_added if result.readability else 0
    if added <= 0:
        return Offer(offered=True)
    gain_per_line = (result.gain.ratio - 1.0) / added
    if gain_per_line < min_gain_per_line:
        return Offer(
            offered=False,
            reason=(
                f"not offered: gain per added line {gain_per_line:.3g} is below "
                f"--min-gain-per-line {min_gain_per_line:g}; the diff is shown only, nothing is written"
            ),
            gain_per_line=gain_per_line,
        )
    return Offer(offered=True, gain_per_line=gain_per_line)
