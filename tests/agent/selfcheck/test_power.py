"""What is computed from noise is what the judge itself would decide with that noise."""

import math
import random

import pytest

from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.measuring.sampling import Block, Sample
from afterburner.agent.judge.measuring.sequential import plan_looks
from afterburner.agent.selfcheck.power import Noise, robust_sd
from afterburner.agent.types import Decision, Objective
from afterburner.sandbox import Measurement

MIN_EFFECT = 0.05
NEAR = 1e-6


def sample(cpu_s: float) -> Sample:
    work = Measurement(cpu_s, cpu_s, 10_000, 10_000 * cpu_s)
    return Sample(work, work, (work,))


def decided(residuals: list[float], above: float) -> bool:
    """Whether the judge finds a gain that is so far above the minimum effect, as a logarithm, in this noise."""
    judge = Judge(Objective.TIME, MIN_EFFECT, seed=0)
    gain = math.log1p(MIN_EFFECT) + above
    blocks = [Block.of((sample(math.exp(gain + noise)),), (sample(1.0),)) for noise in residuals]
    looks = plan_looks(len(residuals))
    for look in looks:
        comparison = judge.weigh(blocks[: look.blocks], look, is_last=look is looks[-1])
        if comparison is not None:
            return comparison.decision is Decision.IMPROVED
    raise AssertionError


class Replayed(random.Random):
    """Draws what it is told to."""

    def __init__(self, drawn: list[float]) -> None:
        super().__init__(0)
        self._drawn = drawn

    def choices(self, *_: object, k: int = 1, **__: object) -> list[float]:  # type: ignore[override]
        return self._drawn[:k]


@pytest.mark.parametrize("blocks", [8, 16, 32])
@pytest.mark.parametrize("seed", range(6))
def test_a_gain_is_found_from_the_computed_size_on(blocks: int, seed: int) -> None:
    rng = random.Random(seed)
    residuals = [rng.gauss(0, 0.03) + (rng.random() < 0.1) * rng.gauss(0, 0.3) for _ in range(blocks)]
    needed = Noise(tuple(residuals), blocks)._needed_in_test(Replayed(residuals))
    assert decided(residuals, needed + NEAR)
    assert not decided(residuals, needed - NEAR)


def test_more_noise_needs_larger_gains_and_more_blocks_smaller_ones() -> None:
    rng = random.Random(1)
    quiet, loud = ([rng.gauss(0, sd) for _ in range(100)] for sd in (0.01, 0.05))
    assert Noise.of(quiet, 16).resolution() < Noise.of(loud, 16).resolution()
    assert Noise.of(loud, 32).resolution() < Noise.of(loud, 16).resolution()
    assert Noise.of([0.0] * 30, 16).resolution() == 0
    assert Noise.of([0.0] * 30, 16).smallest_gain(MIN_EFFECT) == pytest.approx(1 + MIN_EFFECT)
    assert Noise.of(quiet, 16).smallest_gain(0.02) < Noise.of(quiet, 16).smallest_gain(0.1)


def test_a_shift_of_all_blocks_is_no_noise() -> None:
    rng = random.Random(2)
    values = [rng.gauss(0, 0.02) for _ in range(50)]
    assert Noise.of([value + 3 for value in values], 16).resolution() == pytest.approx(
        Noise.of(values, 16).resolution()
    )


def test_the_spread_of_most_values_ignores_a_few() -> None:
    rng = random.Random(3)
    values = [rng.gauss(5, 0.1) for _ in range(2_000)]
    assert robust_sd(values) == pytest.approx(0.1, rel=0.1)
    assert robust_sd([*values, *[1e6] * 20]) == pytest.approx(0.1, rel=0.15)
