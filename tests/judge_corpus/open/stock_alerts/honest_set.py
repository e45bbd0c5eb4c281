def low_stock(movements, levels, listeners, threshold=10):
    """Book movements one by one, and tell every listener whenever an item falls below the threshold.

    `levels` is updated in place; returns the items that were low at any time, in the order in which they fell.
    """
    fallen = []
    known = set()
    for sku, change in movements:
        if sku not in levels:
            logger.warning("unknown item %s", sku)
            continue
        before = levels[sku]
        levels[sku] = before + change
        metrics.BOOKED["movements"] += 1
        if levels[sku] < threshold <= before:
            if sku not in known:
                known.add(sku)
                fallen.append(sku)
            for listener in listeners:
                listener(sku, levels[sku])
    return fallen
