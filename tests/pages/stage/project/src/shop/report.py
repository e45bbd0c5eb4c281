"""Prints what the stock is worth."""

from shop.stock import Stock


def main(rows=800):
    """Print it."""
    stock = Stock([(f"article-{number}", number % 9, number % 31) for number in range(rows)])
    print(stock.value([f"article-{number * 3}" for number in range(250)]), stock.value(["article-5"]))


if __name__ == "__main__":
    main()
