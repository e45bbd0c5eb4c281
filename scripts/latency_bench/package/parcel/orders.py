"""Orders and the customers who place them."""


def known_customers(orders, customers):
    """Give the customers of the orders who are known, in the order of the orders."""
    found = []
    for order in orders:
        if order in customers:
            found.append(order)
    return found


def missing_items(wanted, stock):
    """Give the wanted items that are not in stock."""
    result = []
    for item in wanted:
        if item not in stock:
            result.append(item)
    return result


def ordered_counts(items):
    """Give each item with how often it occurs, in the order of the first occurrences."""
    seen = []
    for item in items:
        if item not in seen:
            seen.append(item)
    return [(item, items.count(item)) for item in seen]
