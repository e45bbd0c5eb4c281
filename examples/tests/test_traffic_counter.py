import random
from datetime import datetime

import pytest
from traffic_counter import Peak, TrafficCounter, report, simulate

START = datetime(2025, 3, 3)


def counter(*counts):
    return TrafficCounter("Bridge", START, list(counts))


@pytest.mark.parametrize(("window", "totals"), [(1, [3, 0, 5, 2]), (2, [3, 5, 7]), (4, [10]), (5, []), (9, [])])
def test_rolling_totals(window, totals):
    assert counter(3, 0, 5, 2).rolling_totals(window) == totals


@pytest.mark.parametrize("window", [0, -1])
def test_a_stretch_must_have_a_count(window):
    with pytest.raises(ValueError, match="at least one count"):
        counter(1).rolling_totals(window)


def test_rolling_totals_leave_the_counts_alone():
    sensor = counter(3, 0, 5, 2)
    sensor.rolling_totals(2)
    assert sensor.counts == [3, 0, 5, 2]


def test_the_first_of_equal_peaks_counts():
    sensor = counter(*[0] * 12, *[2] * 12, *[0] * 12, *[2] * 12)
    assert sensor.busiest(1) == Peak(datetime(2025, 3, 3, 1), 24)
    assert sensor.busiest(24) is None


def test_a_count_is_not_negative():
    with pytest.raises(ValueError, match="Bridge: a count of -1 vehicles"):
        counter().add(-1)


def test_a_month():
    sensor = simulate(random.Random(1), "Ring", days=8)
    assert len(sensor.counts) == 8 * 288
    assert sensor.rolling_totals(288)[0] == sum(sensor.counts[:288])
    assert sensor.daily_means() == [sum(sensor.counts[day * 288 : day * 288 + 288]) / 24 for day in range(8)]
    assert report(sensor).count("\n") == 4
