def halves(readings):
    sums = []
    total = 0
    for reading in readings:
        total += reading
        sums.append(int(total / 2))
    return sums
