"""The gain and its interval: direction, width, determinism, and how rarely noise passes for a gain."""

import math
import random

import pytest

from afterburner.agent.selection import bootstrap
from afterburner.agent.types import Gain


def paired_gain(pairs: list[tuple[float, float]], *, seed: int, confidence: float = 0.95) -> Gain:
    return bootstrap.paired_gain(pairs, seed=seed, confidence=confidence)


def noisy_pairs(true_ratio: float, count: int, spread: float, seed: int) -> list[tuple[float, float]]:
    rng = random.Random(seed)
    drift = [rng.lognormvariate(0, 0.3) for _ in range(count)]
    return [(d * true_ratio * rng.lognormvariate(0, spread), d * rng.lognormvariate(0, spread)) for d in drift]


def test_a_candidate_that_needs_half_the_time_has_a_ratio_of_two() -> None:
    gain = paired_gain([(2.0, 1.0)] * 5, seed=0)
    assert (gain.ratio, gain.low, gain.high) == pytest.approx((2.0, 2.0, 2.0))
    assert gain.pairs == 5
    assert gain.confidence == 0.95


def test_a_slower_candidate_has_a_ratio_below_one() -> None:
    gain = paired_gain([(1.0, 4.0)] * 5, seed=0)
    assert gain.high < 1


def test_the_interval_holds_the_ratio_and_narrows_with_more_pairs() -> None:
    few = paired_gain(noisy_pairs(1.5, 5, 0.1, seed=1), seed=0)
    many = paired_gain(noisy_pairs(1.5, 50, 0.1, seed=1), seed=0)
    for gain in (few, many):
        assert gain.low <= gain.ratio <= gain.high
    assert math.log(many.high / many.low) < math.log(few.high / few.low)


def test_drift_of_the_machine_cancels_within_pairs() -> None:
    pairs = [(1.5 * speed, 1.0 * speed) for speed in (1.0, 3.0, 0.2, 9.0, 1.0)]
    assert paired_gain(pairs, seed=0).low == pytest.approx(1.5)


def test_one_disturbed_sample_does_not_make_a_gain() -> None:
    pairs = [(1.0, 1.0)] * 6 + [(50.0, 1.0)]
    gain = paired_gain(pairs, seed=0)
    assert gain.ratio == pytest.approx(1.0)
    assert gain.low <= 1.0


def test_the_same_samples_and_seed_give_the_same_interval() -> None:
    pairs = noisy_pairs(1.2, 9, 0.2, seed=4)
    assert paired_gain(pairs, seed=7) == paired_gain(pairs, seed=7)


def test_figures_below_the_clocks_resolution_are_no_infinite_gain() -> None:
    gain = paired_gain([(0.0, 0.0)] * 5, seed=0)
    assert gain.ratio == 1.0


def test_identical_code_under_noise_hardly_ever_clears_five_percent() -> None:
    accepted = sum(
        paired_gain(noisy_pairs(1.0, 15, 0.1, seed), seed=0, confidence=0.99).low > 1.05 for seed in range(200)
    )
    assert accepted <= 1


def test_a_gain_of_half_is_found_under_the_same_noise() -> None:
    found = sum(paired_gain(noisy_pairs(1.5, 15, 0.1, seed), seed=0, confidence=0.99).low > 1.05 for seed in range(200))
    assert found >= 195
