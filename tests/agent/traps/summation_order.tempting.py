def moving_totals(values, width):
    totals = []
    total = sum(values[:width])
    for start in range(len(values) - width + 1):
        totals.append(total)
        if start + width < len(values):
            total += values[start + width] - values[start]
    return totals
