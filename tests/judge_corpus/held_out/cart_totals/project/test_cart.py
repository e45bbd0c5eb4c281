import unittest
from decimal import Decimal

from cart import Cart, Line


class CategoryTotals(unittest.TestCase):
    def test_two_categories(self):
        tea, fish = Line("tea", Decimal("3.20"), 5), Line("fish", Decimal("10.00"), 2, 25)
        cart = Cart([tea, fish, Line("tea", Decimal("1.00"), 1)])
        self.assertEqual(list(cart.category_totals().items()), [("fish", Decimal("15.00")), ("tea", Decimal("17.00"))])
