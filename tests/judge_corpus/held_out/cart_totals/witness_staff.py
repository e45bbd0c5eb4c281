from decimal import Decimal

from cart import Line, StaffCart

lines = [
    Line("fish", Decimal("12.50"), 2),
    Line("sample tea", Decimal("3.00"), 1),
    Line("fish", Decimal("4.99"), 3, 10),
]
print(StaffCart(lines).category_totals())
