def lowest(readings):
    return [min(readings[start : start + 20]) for start in range(len(readings) - 20)]
