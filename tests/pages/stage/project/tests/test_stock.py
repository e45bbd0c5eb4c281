from shop.stock import Stock


def test_the_value_is_that_of_the_named_articles():
    stock = Stock([(f"article-{number}", 2, number) for number in range(600)])
    assert stock.value([f"article-{number}" for number in range(300)]) == 2 * sum(range(300))


def test_an_unknown_article_is_worth_nothing():
    assert Stock([("pen", 1, 2)]).value(["ink"]) == 0
