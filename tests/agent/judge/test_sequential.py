"""The confirmatory test by itself: its error, its power, its interval."""

import itertools
import math
import random

import pytest

from afterburner.agent.judge.measuring.sampling import block_order
from afterburner.agent.judge.measuring.sequential import ALPHA, MOST_TESTS, bounds, estimate, plan_looks

NEEDED = math.log(1.05)


def accepts(values: list[float], most_blocks: int = 64) -> bool:
    """Whether the test, stopped at the first look that suffices, finds more than the minimum effect."""
    return any(bounds(values[: look.blocks], look.alpha)[0] > NEEDED for look in plan_looks(most_blocks))


def share_accepted(centre: float, spread: float, trials: int, *, heavy: bool = False) -> float:
    rng = random.Random(20261121)

    def draw() -> float:
        noise = rng.gauss(0, spread)
        if heavy and rng.random() < 0.2:
            noise *= 10
        return centre + noise

    return sum(accepts([draw() for _ in range(64)]) for _ in range(trials)) / trials


def test_the_shares_of_all_looks_of_all_tests_of_a_run_are_the_whole_error() -> None:
    for most in (1, 8, 15, 16, 31, 40, 64, 128, 1000):
        tests = [plan_looks(most, attempt) for attempt in range(MOST_TESTS)]
        assert math.fsum(look.alpha for looks in tests for look in looks) == pytest.approx(ALPHA)
        for looks in tests:
            assert looks[-1].blocks <= max(most, looks[0].blocks)
            assert [look.blocks for look in looks] == sorted({look.blocks for look in looks})


def test_every_look_could_accept() -> None:
    """A share too small for its number of blocks would be spent for nothing."""
    for most in (8, 16, 32, 64, 128):
        for look in (*plan_looks(most), *plan_looks(most, attempt=1)):
            assert bounds([NEEDED + 0.01] * look.blocks, look.alpha)[0] > NEEDED


@pytest.mark.parametrize("heavy", [False, True])
def test_a_rewrite_of_just_the_minimum_effect_passes_no_more_often_than_the_error_says(heavy: bool) -> None:
    share = share_accepted(NEEDED, 0.1, 1500, heavy=heavy)
    assert share <= ALPHA + 3 * math.sqrt(ALPHA / 1500), "three standard errors above the level"


def test_identical_code_does_not_pass() -> None:
    assert share_accepted(0.0, 0.05, 400) == 0


def test_a_gain_of_a_tenth_is_found_where_blocks_spread_by_six_percent() -> None:
    assert share_accepted(math.log(1.10), 0.06, 300) >= 0.9
    assert share_accepted(math.log(1.20), 0.06, 300) >= 0.99


def test_the_bounds_are_those_of_an_exhaustive_test_of_signs() -> None:
    """Of all ways to give signs to the values, the share whose rank sum is as small decides: counted one by one."""
    values = [0.3, -0.1, 0.7, 0.5, 0.2, -0.4, 0.9, 0.6]
    for alpha in (0.004, 0.01, 0.05, 0.1):
        low, _ = bounds(values, alpha)
        for centre in (low - 1e-9, low + 1e-9):
            shifted = [value - centre for value in values]
            ranks = {at: rank for rank, at in enumerate(sorted(range(8), key=lambda at: abs(shifted[at])), start=1)}
            observed = sum(ranks[at] for at in range(8) if shifted[at] < 0)
            sums = [
                sum(rank for rank, negative in enumerate(signs, start=1) if negative)
                for signs in itertools.product((False, True), repeat=8)
            ]
            p_value = sum(total <= observed for total in sums) / len(sums)
            assert (p_value <= alpha) == (centre < low)


def test_too_few_blocks_bound_nothing() -> None:
    assert bounds([1.0, 1.0, 1.0], 0.01) == (-math.inf, math.inf)


def test_the_estimate_is_not_moved_by_a_few_wild_blocks() -> None:
    assert estimate([0.1] * 15 + [50.0]) == pytest.approx(0.1)
    assert estimate([1.0, 2.0, 3.0, 4.0]) == pytest.approx(2.5)


def test_the_order_within_a_block_is_a_coin_toss_that_the_seed_decides() -> None:
    orders = [block_order(2, 1, seed) for seed in range(200)]
    assert orders == [block_order(2, 1, seed) for seed in range(200)]
    assert set(orders) == {(0, 1, 1, 0), (1, 0, 0, 1)}
    assert 60 < sum(order[0] for order in orders) < 140


def test_every_round_of_a_block_has_a_coin_of_its_own_and_all_sides_there_and_back() -> None:
    for seed in range(20):
        order = block_order(5, 3, seed)
        rounds = [order[at : at + 10] for at in range(0, 30, 10)]
        assert len(set(rounds)) > 1
        assert all(each == each[::-1] and sorted(each[:5]) == [0, 1, 2, 3, 4] for each in rounds)
