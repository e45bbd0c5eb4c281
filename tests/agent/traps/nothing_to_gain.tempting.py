def total(values):
    result = sum(values)
    return result
