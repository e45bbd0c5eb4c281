def bill(items):
    dear = {name for name in items if price(name) > 9}
    total = 0
    for item in items:
        if item in dear:
            total += price(item)
    return total
