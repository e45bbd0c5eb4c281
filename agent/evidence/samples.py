"""The samples behind a proven gain, as figures that a page can draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.judge.measuring.figures import figures_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.agent.judge.measuring.figures import Figure, Figures
    from afterburner.agent.judge.measuring.sampling import Block, Sample
    from afterburner.agent.types import Objective


@dataclass(frozen=True, slots=True)
class SampleFigures:
    """What each sample of both versions used: seconds, KiB or KiB·s, as `noun` says."""

    noun: str  # "CPU time", "wall time", "peak memory" or "memory integral"
    before: tuple[float, ...]
    after: tuple[float, ...]


def sample_figures(
    blocks: Sequence[Block],
    objective: Objective,
    choose: Callable[[Objective, Sequence[Block]], Figures] = figures_for,
) -> SampleFigures | None:
    """The figure that decided, of every sample that counted for it; None if there are no samples.

    Args:
        blocks: of the test that decided.
        objective: says with the samples which figure that is: wall time decides for what mostly waits.
        choose: how that test chose its figure: by `figures_for` for an offer, by `figures_between` for a comparison.
    """
    if not blocks:
        return None
    figure = choose(objective, blocks).primary
    before, after = (
        _figures([each.before for each in blocks], figure),
        _figures([each.after for each in blocks], figure),
    )
    return SampleFigures(figure.noun, before, after) if before and after else None


def _figures(side: Sequence[Sequence[Sample]], figure: Figure) -> tuple[float, ...]:
    """Where samples of both versions ran together, those count, and the ones that ran alone beside them do not."""
    samples = [sample for block in side for sample in block]
    together = [sample for sample in samples if not sample.is_alone]
    return tuple(figure.read(sample.work) for sample in together or samples)
