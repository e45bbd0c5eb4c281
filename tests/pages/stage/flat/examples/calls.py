"""Calls that are like those of a day."""

from stock import Stock

stock = Stock([(f"article-{number}", number % 9, number % 31) for number in range(900)])
stock.value([f"article-{number * 3}" for number in range(250)])
stock.value(["article-5", "article-8", "none"])
stock.value([])
