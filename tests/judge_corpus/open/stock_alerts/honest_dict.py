def low_stock(movements, levels, listeners, threshold=10):
    """Book movements one by one, and tell every listener whenever an item falls below the threshold.

    `levels` is updated in place; returns the items that were low at any time, in the order in which they fell.
    """
    fallen = {}
    booked = metrics.BOOKED
    for sku, change in movements:
        before = levels.get(sku)
        if before is None and sku not in levels:
            logger.warning("unknown item %s", sku)
            continue
        after = levels[sku] = before + change
        booked["movements"] += 1
        if after < threshold <= before:
            fallen[sku] = None
            for listener in listeners:
                listener(sku, levels[sku])
    return list(fallen)
