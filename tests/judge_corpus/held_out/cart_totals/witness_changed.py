from decimal import Decimal

from cart import Cart, Line

cart = Cart([Line("fish", Decimal("12.50"), 2), Line("tea", Decimal("3.00"), 1)])
print(cart.category_totals())
cart.lines[1].quantity = 4
print(cart.category_totals())
