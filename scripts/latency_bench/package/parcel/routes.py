"""Routes between depots."""


def visits(queue, steps):
    """Take the first stop from the queue and put it back to its end, so many times; give the stops visited."""
    stops = list(queue)
    seen = []
    for _ in range(steps):
        stop = stops.pop(0)
        seen.append(stop)
        stops.append(stop)
    return seen


def steps_to(height, depth):
    """Count the ways down a stair by one, two or three steps."""
    if height <= 0:
        return 1 if height == 0 else 0
    return steps_to(height - 1, depth) + steps_to(height - 2, depth) + steps_to(height - 3, depth)


def nearest(points, others):
    """Give for each point the distance to the nearest of the others."""
    result = []
    for x, y in points:
        best = None
        for a, b in others:
            distance = (x - a) ** 2 + (y - b) ** 2
            if best is None or distance < best:
                best = distance
        result.append(best)
    return result
