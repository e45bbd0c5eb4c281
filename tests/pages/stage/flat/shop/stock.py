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


if __name__ == "__main__":
    stock = Stock([(f"article-{number}", number % 9, number % 31) for number in range(900)])
    print(stock.value([f"article-{number * 3}" for number in range(250)]), stock.value([]))
    print(stock.value(["article-5", "article-8", "none"]))
