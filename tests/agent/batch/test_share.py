"""How much of the time a target gets."""

from __future__ import annotations

import pytest

from afterburner.agent.batch.turns import ENOUGH_S, LEAST_SHARE_S, share_of
from afterburner.agent.batch.work import check_limit_s


@pytest.mark.parametrize(
    ("left_s", "turns", "max_seconds", "share_s"),
    [
        (900.0, 3, 900.0, 300.0),
        (300.0, 3, 300.0, ENOUGH_S),
        (300.0, 10, 300.0, ENOUGH_S),
        (200.0, 3, 200.0, 100.0),
        (46.0, 2, 300.0, 46.0),
        (44.0, 1, 300.0, None),
        (1.0, 1, 60.0, None),
        (0.0, 5, 60.0, None),
        (50.0, 2, 60.0, 30.0),
        (31.0, 1, 60.0, 31.0),
    ],
)
def test_a_share_is_equal_or_enough_and_no_more_than_is_left(
    left_s: float, turns: int, max_seconds: float, share_s: float | None
) -> None:
    assert share_of(left_s, turns, max_seconds) == share_s


def test_where_several_go_on_at_a_time_shares_stay_equal() -> None:
    assert share_of(300.0, 6, 300.0, LEAST_SHARE_S) == 50.0
    assert share_of(300.0, 10, 300.0, LEAST_SHARE_S) == LEAST_SHARE_S


@pytest.mark.parametrize(
    ("allowed_s", "taken_s", "limit_s"),
    [(120.0, 120.0, 240.0), (120.0, 30.0, 120.0), (120.0, 2.0, 40.0), (10.0, 2.0, 20.0)],
)
def test_tests_that_were_quick_are_not_waited_for_long(allowed_s: float, taken_s: float, limit_s: float) -> None:
    assert check_limit_s(allowed_s, taken_s) == limit_s
