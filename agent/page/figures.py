"""The figures of both versions, as rows of a table and with their units."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afterburner.agent.page.section import FigureRow
from afterburner.agent.wording import format_interval, format_ratio
from afterburner.sandbox.terminal.formatting import format_kib, format_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.types import Gain
    from afterburner.sandbox import Measurement

TIMES = ("CPU time", "wall time")
MEMORY = ("peak memory", "memory integral")
_READ: dict[str, Callable[[Measurement], float]] = {
    "CPU time": lambda used: used.cpu_time_s,
    "wall time": lambda used: used.wall_time_s,
    "peak memory": lambda used: float(used.peak_memory_kib),
    "memory integral": lambda used: used.memory_integral_kib_s,
}


def figure_rows(
    names: Sequence[str], before: Measurement, after: Measurement | None, decides: str, gain: Gain | None
) -> tuple[FigureRow, ...]:
    """A row for each of these figures.

    Args:
        names: of `TIMES` and `MEMORY`.
        before: what the original used.
        after: what the other version used; None: there is none to tell of.
        decides: the figure that the decision rests on.
        gain: of that figure, as it was tested; None: nothing was tested.
    """
    return tuple(_row(name, before, after, gain if name == decides else None, name == decides) for name in names)


def show_figure(name: str, value: float) -> str:
    """Seconds, KiB or KiB·s with the unit that suits."""
    if name in TIMES:
        return format_seconds(value)
    return format_kib(value, "·s" if name == "memory integral" else "")


def _row(name: str, before: Measurement, after: Measurement | None, gain: Gain | None, decides: bool) -> FigureRow:
    old = _READ[name](before)
    if after is None:
        return FigureRow(name, show_figure(name, old), decides=decides)
    new = _READ[name](after)
    ratio = gain.ratio if gain is not None else old / new if new > 0 else math.nan
    interval = format_interval(gain) if gain is not None else ""
    return FigureRow(name, show_figure(name, old), show_figure(name, new), format_ratio(ratio), interval, decides)
