"""Shopping carts of the wholesale market."""

import random
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


@dataclass
class Line:
    category: str
    unit_price: Decimal
    quantity: int
    discount: int = 0


class Cart:
    """A cart; kinds of customers have their own kind of cart, with their own `line_price`.

    The price of a line depends on the line alone.
    """

    def __init__(self, lines: list[Line]):
        self.lines = list(lines)

    def line_price(self, line: Line) -> Decimal:
        price = line.unit_price * line.quantity * (100 - line.discount) / 100
        return price.quantize(CENT, ROUND_HALF_UP)

    def category_totals(self) -> dict[str, Decimal]:
        """Total of the line prices for each category, by name of the category; each line is rounded on its own."""
        totals = {}
        for category in sorted({line.category for line in self.lines}):
            total = Decimal("0.00")
            for line in self.lines:
                if line.category == category:
                    total += self.line_price(line)
            totals[category] = total
        return totals


class StaffCart(Cart):
    """Staff pay no more than nine tenths of a line, and nothing for samples."""

    def line_price(self, line: Line) -> Decimal:
        if line.category.startswith("sample"):
            return Decimal("0.00")
        return (super().line_price(line) * 9 / 10).quantize(CENT, ROUND_HALF_UP)


def make_lines(rng: random.Random, categories: int, count: int) -> list[Line]:
    return [
        Line(
            f"category {rng.randrange(categories):03}",
            Decimal(20 * rng.randrange(4, 400)) / 100,
            rng.randrange(1, 30),
            rng.choice((0, 0, 10, 25, 50)),
        )
        for _ in range(count)
    ]


if __name__ == "__main__":
    rng = random.Random(29)
    for categories, count in ((640, 6400), (800, 7200), (480, 8000), (960, 6700), (720, 5800)):
        totals = Cart(make_lines(rng, categories, count)).category_totals()
        print(categories, count, len(totals), sum(totals.values()), list(totals)[0], totals[max(totals)])
