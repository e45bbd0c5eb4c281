import random

import pytest
from offcuts import WELD_MM, Order, choose, pairs_for, plan, read_stock

STOCK = """
# remarks and empty lines do not count

R01: 500, 1500,700
R02: 1300 # bent
"""


def test_read_stock():
    assert read_stock(STOCK) == [500, 1500, 700, 1300]


def test_read_stock_says_what_is_no_number():
    with pytest.raises(ValueError, match="long"):
        read_stock("R01: long")


def test_pairs_come_in_the_order_of_the_list():
    assert pairs_for([500, 1500, 700, 1300, 500, 1500], 2000) == [(0, 1), (0, 5), (1, 4), (2, 3), (4, 5)]


def test_a_piece_is_no_pair_with_itself():
    assert pairs_for([1000, 3], 2000) == []
    assert pairs_for([1000, 3, 1000], 2000) == [(0, 2)]


def test_pairs_of_a_larger_stock_add_up_and_none_is_missing():
    lengths = [random.Random(2).randrange(100, 300) for _ in range(120)]
    pairs = pairs_for(lengths, 400)
    expected = {
        (first, second)
        for second in range(len(lengths))
        for first in range(second)
        if lengths[first] + lengths[second] == 400
    }
    assert set(pairs) == expected
    assert pairs == sorted(expected)


def test_choose_uses_no_piece_twice():
    assert choose([(0, 1), (0, 2), (1, 2), (3, 4), (5, 6)], 2) == [(0, 1), (3, 4)]


def test_plan_takes_what_it_used_from_the_stock():
    orders = [Order("A", 2000 - WELD_MM, 1), Order("B", 2000 - WELD_MM, 5)]
    steps, left = plan([500, 1500, 700, 1300, 900], orders)
    assert [bars for _, bars in steps] == [[(500, 1500)], [(700, 1300)]]
    assert left == [900]
