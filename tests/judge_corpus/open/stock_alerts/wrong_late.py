def low_stock(movements, levels, listeners, threshold=10):
    """Book movements one by one, and tell every listener whenever an item falls below the threshold.

    `levels` is updated in place; returns the items that were low at any time, in the order in which they fell.
    """
    fallen = {}
    alerts = []
    for sku, change in movements:
        if sku not in levels:
            logger.warning("unknown item %s", sku)
            continue
        before = levels[sku]
        levels[sku] = after = before + change
        metrics.BOOKED["movements"] += 1
        if after < threshold <= before:
            fallen[sku] = None
            alerts.append((sku, after))
    for listener in listeners:
        for sku, after in alerts:
            listener(sku, after)
    return list(fallen)
