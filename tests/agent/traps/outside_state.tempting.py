import functools


@functools.cache
def cost(kind, depth):
    if depth < 2:
        return RATES[kind]
    return cost(kind, depth - 1) + cost(kind, depth - 2)
