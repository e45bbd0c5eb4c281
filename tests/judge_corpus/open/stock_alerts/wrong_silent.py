def low_stock(movements, levels, listeners, threshold=10):
    """Book movements one by one, and tell every listener whenever an item falls below the threshold.

    `levels` is updated in place; returns the items that were low at any time, in the order in which they fell.
    """
    fallen = {}
    for sku, change in movements:
        if sku in levels:
            before = levels[sku]
            levels[sku] = after = before + change
            metrics.BOOKED["movements"] += 1
            if after < threshold <= before:
                fallen[sku] = None
                for listener in listeners:
                    listener(sku, after)
    return list(fallen)
