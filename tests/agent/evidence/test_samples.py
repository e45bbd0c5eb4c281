"""Which samples a page draws, and which figure of them."""

from __future__ import annotations

import pytest

from afterburner.agent.evidence.samples import SampleFigures, sample_figures
from afterburner.agent.judge.measuring.figures import figures_between
from afterburner.agent.judge.measuring.sampling import Block, Sample, SampleMode
from afterburner.agent.types import Objective
from afterburner.sandbox import Measurement


def sample(cpu_s: float, wall_s: float, mode: SampleMode = SampleMode.ALONE) -> Sample:
    used = Measurement(wall_s, cpu_s, int(cpu_s * 1000), cpu_s * 10)
    return Sample(used, used, (used,), mode=mode)


def block(*samples: tuple[Sample, Sample]) -> Block:
    before, after = zip(*samples, strict=True)
    return Block.of(before, after).without_parts()


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        (Objective.TIME, SampleFigures("CPU time", (1.0, 1.1, 1.2), (0.5, 0.6, 0.7))),
        (Objective.MEMORY, SampleFigures("peak memory", (1000.0, 1100.0, 1200.0), (500.0, 600.0, 700.0))),
        (Objective.INTEGRAL, SampleFigures("memory integral", (10.0, 11.0, 12.0), (5.0, 6.0, 7.0))),
    ],
)
def test_the_figure_is_that_of_the_objective(objective: Objective, expected: SampleFigures) -> None:
    pairs = [(sample(1 + each / 10, 1 + each / 10), sample(0.5 + each / 10, 0.5 + each / 10)) for each in range(3)]
    found = sample_figures([block(*pairs[:2]), block(pairs[2])], objective)
    assert found is not None
    assert found.noun == expected.noun
    assert found.before == pytest.approx(expected.before, abs=1)
    assert found.after == pytest.approx(expected.after, abs=1)


def test_wall_time_is_drawn_where_it_decides() -> None:
    assert sample_figures([block((sample(0.1, 2.0), sample(0.1, 0.5)))], Objective.TIME) == SampleFigures(
        "wall time", (2.0,), (0.5,)
    )


def test_a_comparison_draws_wall_time_where_either_version_waits() -> None:
    taken = [block((sample(0.5, 0.5), sample(0.1, 2.0)))]
    assert sample_figures(taken, Objective.TIME, figures_between) == SampleFigures("wall time", (0.5,), (2.0,))
    assert sample_figures(taken, Objective.TIME) == SampleFigures("CPU time", (0.5,), (0.1,))


def test_samples_that_ran_together_are_drawn_without_those_that_ran_alone() -> None:
    turns = SampleMode.IN_TURNS
    taken = block((sample(1.0, 1.0), sample(0.5, 0.5)), (sample(1.5, 1.5, turns), sample(0.75, 0.75, turns)))
    assert sample_figures([taken], Objective.TIME) == SampleFigures("CPU time", (1.5,), (0.75,))


def test_without_samples_there_is_nothing_to_draw() -> None:
    assert sample_figures([], Objective.TIME) is None
    assert sample_figures([Block((), (), ((), ()))], Objective.MEMORY) is None
