from alerts import low_stock

levels = {"A": 11, "B": 11}
told = []
low_stock([("A", -5), ("B", -5)], levels, [lambda sku, left: told.append((1, sku, dict(levels))),
                                            lambda sku, left: told.append((2, sku, dict(levels)))])
print(told)
