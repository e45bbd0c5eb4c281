from itertools import groupby
from operator import attrgetter

_CATEGORY = attrgetter("category")


def category_totals(self) -> dict[str, Decimal]:
    """Total of the line prices for each category, by name of the category; each line is rounded on its own."""
    price = self.line_price
    ordered = sorted(self.lines, key=_CATEGORY)
    return {
        category: sum((price(line) for line in lines), Decimal("0.00"))
        for category, lines in groupby(ordered, key=_CATEGORY)
    }
