"""Tests of the package."""

from parcel.orders import known_customers, missing_items, ordered_counts
from parcel.routes import nearest, steps_to, visits
from parcel.texts import numbers_in, report, shared_words

NAMES = [f"name-{number}" for number in range(1500)]
OTHERS = [f"name-{number * 3}" for number in range(1000)]


def test_known_customers():
    assert len(known_customers(NAMES, OTHERS)) == 500
    assert len(known_customers(NAMES[:900], OTHERS)) == 300


def test_missing_items():
    assert len(missing_items(NAMES, OTHERS)) == 1000
    assert len(missing_items(NAMES[:800], OTHERS)) == 533


def test_ordered_counts():
    assert len(ordered_counts(NAMES[:700] * 2)) == 700
    assert ordered_counts([1, 2, 1]) == [(1, 2), (2, 1)]


def test_report():
    rows = [[number, str(number), number * 2] for number in range(2500)]
    assert report(rows).count("\n") == 2500
    assert report(rows[:900]).startswith("0;0;0;")


def test_numbers_in():
    lines = [f"order {number} of {number * 7} parcels, {number % 5} late" for number in range(5000)]
    assert len(numbers_in(lines)) == 5000
    assert numbers_in(lines[:1800])[1] == 9


def test_shared_words():
    assert len(shared_words(" ".join(NAMES[:400]), " ".join(OTHERS[:300]))) == 134
    assert len(shared_words(" ".join(NAMES[:250]), " ".join(OTHERS[:200]))) == 84


def test_visits():
    assert len(visits(range(30_000), 8_000)) == 8_000
    assert len(visits(range(20_000), 5_000)) == 5_000


def test_steps_to():
    assert steps_to(18, 0) == 35890
    assert steps_to(16, 0) == 10609


def test_nearest():
    points = [(number % 97, number % 89) for number in range(250)]
    assert len(nearest(points, points[::-1])) == 250
    assert len(nearest(points[:150], points)) == 150
