"""What is in stock."""


class Stock:
    """Articles with their numbers and prices."""

    def __init__(self, rows):
        self.rows = rows

    def value(self, names):
        """Return what the articles of these names are worth."""
        total = 0
        for name, number, price in self.rows:
            if name in names:
                total += number * price
        return total
