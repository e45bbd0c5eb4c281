"""Where the code of each iteration stands among the known solutions of a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.page.markup import safe
from afterburner.agent.types import Objective
from afterburner.evals.report.axis import axis_over
from afterburner.evals.report.curves import MOST_COLOURS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from afterburner.evals.report.axis import Axis

NOUNS = {Objective.TIME: "wall time", Objective.MEMORY: "peak memory", Objective.INTEGRAL: "memory integral"}
WIDTH = 520
_LEFT, _RIGHT, _TOP, _ROW = 110, 505, 34, 26
_LABEL = 38  # pixels that a label takes
_UNITS = {
    Objective.TIME: ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
    Objective.MEMORY: ((1024.0**2, "GiB"), (1024.0, "MiB"), (1.0, "KiB")),
    Objective.INTEGRAL: ((1024.0**2, "GiB·s"), (1024.0, "MiB·s"), (1.0, "KiB·s")),
}
_GOLDEN = 0.6180339887498949  # its multiples spread the dots evenly over the band


def ranks_picture(
    objective: Objective, references: Sequence[float], generations: Mapping[int, Mapping[int, float]]
) -> str:
    """A row of dots for the known solutions, and one for each generation with its iterations; SVG within HTML.

    Args:
        objective: whose figures these are.
        references: the known solutions' figures, positive.
        generations: for each the figures of C* by iteration, where it passes.
    """
    largest = max([*references, *(each for known in generations.values() for each in known.values())])
    factor, unit = next((each for each in _UNITS[objective] if largest >= each[0]), _UNITS[objective][-1])
    references = [each / factor for each in references]
    generations = {name: {at: each / factor for at, each in known.items()} for name, known in generations.items()}
    figures = [*references, *(each for known in generations.values() for each in known.values())]
    named = safe(f"{NOUNS[objective]} of known solutions and of the code of each iteration; smaller is better")
    bottom = _TOP + _ROW * (1 + len(generations))
    head = f'<svg class="picture ranks" viewBox="0 0 {WIDTH} {bottom + 48}" role="img" aria-label="{named}">'
    axis = axis_over(figures, _LEFT, _RIGHT, may_be_log=True)
    shapes = [*_frame(axis, f"{NOUNS[objective]}, {unit}", bottom), *_references(axis, references)]
    for place, (generation, known) in enumerate(generations.items(), 1):
        shapes += _generation(axis, generation, known, _TOP + _ROW * place)
    return "\n".join([head, *shapes, "</svg>"])


def _frame(axis: Axis, noun: str, bottom: int) -> Iterator[str]:
    ticks = axis.ticks()
    for tick in ticks[:: len(ticks) // 6 + 1]:
        x = axis.at(tick)
        yield f'<line class="grid" x1="{x}" y1="12" x2="{x}" y2="{bottom}"/>'
        yield f'<text class="soft" x="{x}" y="{bottom + 17}" text-anchor="middle">{tick:.6g}</text>'
    scale = ", log scale" if axis.is_log else ""
    yield f'<path class="axis" d="M{_LEFT} {bottom}H{_RIGHT}"/>'
    yield f'<text x="{(_LEFT + _RIGHT) / 2}" y="{bottom + 38}" text-anchor="middle">{safe(noun + scale)}</text>'


def _references(axis: Axis, references: Sequence[float]) -> Iterator[str]:
    yield f'<text x="{_LEFT - 8}" y="{_TOP - 8}" text-anchor="end">known</text>'
    for place, figure in enumerate(references):
        y = _TOP - 12 + (place * _GOLDEN % 1 - 0.5) * 16
        yield f'<circle class="reference" cx="{axis.at(figure)}" cy="{y:.1f}" r="2.6"/>'


def _generation(axis: Axis, generation: int, known: Mapping[int, float], y: int) -> Iterator[str]:
    yield f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">generation {generation}</text>'
    yield f'<g class="c{generation % MOST_COLOURS}">'
    labelled: list[float] = []
    for figure, told in reversed(list(_together(known))):  # the last one is labelled in any case
        x = axis.at(figure)
        yield f'<circle cx="{x}" cy="{y}" r="4"><title>iteration {safe(told)}</title></circle>'
        if all(abs(x - other) > _LABEL for other in labelled):
            labelled.append(x)
            yield f'<text class="soft" x="{x}" y="{y - 7}" text-anchor="middle">{safe(told)}</text>'
    yield "</g>"


def _together(known: Mapping[int, float]) -> Iterator[tuple[float, str]]:
    """Iterations of one figure as one dot: `0-2`."""
    runs: list[tuple[float, int, int]] = []
    for iteration, figure in known.items():
        if runs and runs[-1][0] == figure and runs[-1][2] == iteration - 1:
            runs[-1] = (figure, runs[-1][1], iteration)
        else:
            runs.append((figure, iteration, iteration))
    for figure, first, last in runs:
        yield figure, str(first) if first == last else f"{first}-{last}"
