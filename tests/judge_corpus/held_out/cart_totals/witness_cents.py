from decimal import Decimal

from cart import Cart, Line

print(Cart([Line("herbs", Decimal("0.99"), 1, 50) for _ in range(5)]).category_totals())
