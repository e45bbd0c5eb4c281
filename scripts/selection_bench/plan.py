"""What the benchmark tries: which functions, under which circumstances, how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.selfcheck.subjects import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.selfcheck.subjects import Shape

IDLE, BUSY, JUDGING = "idle", "busy", "judging"
IDENTICAL = 1.0
GAINS = (1.1, 1.2)  # how many times as much work the original does as the rewrite


@dataclass(frozen=True)
class Function:
    """One of the functions, and what it costs to try it.

    `weight` is its share of the trials, among the others'; the seconds are those of one trial of identical code and of
    one with a gain, as they were once on an idle machine: they are for the forecast alone.
    """

    name: str
    shape: Shape
    call_s: float
    weight: int
    identical_s: float
    gain_s: float


FUNCTIONS = (
    Function("5 µs", SHAPES[0], 5e-6, 75, 4, 12),
    Function("50 µs", SHAPES[1], 5e-5, 75, 4, 12),
    Function("500 µs", SHAPES[2], 5e-4, 70, 5, 13),
    Function("5 ms", SHAPES[0], 5e-3, 50, 5, 13),
    Function("50 ms", SHAPES[1], 5e-2, 24, 10, 20),
    Function("500 ms", SHAPES[2], 5e-1, 6, 40, 80),
)
BUSY_FACTOR = 2.2  # how much longer a trial takes beside other work


@dataclass(frozen=True)
class Trial:
    """One decision that is to be made. `gain` 1.0: all six candidates are the original's work."""

    condition: str
    function: str
    gain: float
    number: int

    @property
    def key(self) -> str:
        """Its name in the book of results."""
        return f"{self.condition}/{self.function}/{self.gain:g}/{self.number}"


def plan(parts: Sequence[str], functions: Sequence[Function], trials: int, gains: int) -> list[Trial]:
    """All trials, in turns over functions and gains, so that an interrupted run has some of each.

    Args:
        parts: of `idle`, `busy`, `judging` and `power`.
        functions: which of them.
        trials: on identical code, of each condition.
        gains: of each size of the gain; on an idle machine, and beside our own judging.
    """
    found: list[Trial] = []
    if IDLE in parts:
        found += _turns(IDLE, functions, IDENTICAL, trials)
    if BUSY in parts:
        found += _turns(BUSY, functions, IDENTICAL, trials)
    if JUDGING in parts:
        found += _turns(JUDGING, functions, IDENTICAL, trials)
        by_gain = [_turns(JUDGING, functions, gain, gains) for gain in GAINS]
        found += [trial for same_place in zip(*by_gain, strict=True) for trial in same_place]
    if "power" in parts:
        by_gain = [_turns(IDLE, functions, gain, gains) for gain in GAINS]
        found += [trial for same_place in zip(*by_gain, strict=True) for trial in same_place]
    return found


def forecast_s(trials: Sequence[Trial]) -> float:
    """About how long they take."""
    known = {function.name: function for function in FUNCTIONS}
    total = 0.0
    for trial in trials:
        function = known[trial.function]
        seconds = function.identical_s if trial.gain == IDENTICAL else function.gain_s
        total += seconds * (BUSY_FACTOR if trial.condition == BUSY else 1)
    return total


def _turns(condition: str, functions: Sequence[Function], gain: float, trials: int) -> list[Trial]:
    """So many trials, shared out by weight."""
    counts = share_out([function.weight for function in functions], trials)
    found: list[tuple[float, int, Trial]] = []
    for place, (function, count) in enumerate(zip(functions, counts, strict=True)):
        numbers: Iterator[int] = iter(range(count))
        found += [((n + 0.5) / count, place, Trial(condition, function.name, gain, n)) for n in numbers]
    return [trial for _, _, trial in sorted(found, key=lambda each: each[:2])]


def share_out(weights: Sequence[int], total: int) -> list[int]:
    """`total` as whole numbers in proportion to the weights (largest remainder)."""
    exact = [total * weight / sum(weights) for weight in weights]
    counts = [int(each) for each in exact]
    by_rest = sorted(range(len(weights)), key=lambda n: counts[n] - exact[n])
    for n in by_rest[: total - sum(counts)]:
        counts[n] += 1
    return counts
