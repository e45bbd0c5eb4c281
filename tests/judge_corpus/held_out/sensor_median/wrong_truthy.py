from bisect import bisect_left, insort


def rolling_median(readings: Sequence[float | None], width: int) -> list[float | None]:
    """Median of the last `width` readings at each place of the series (fewer at its start).

    None stands for a reading that was not taken (sensor offline): it takes up its place in the window but has no
    value, and a window without any value gives None. Readings are finite numbers.
    """
    if width < 1:
        raise ValueError(f"a window of {width} readings")
    smoothed: list[float | None] = []
    values: list[float] = []
    for place, reading in enumerate(readings):
        if place >= width and readings[place - width]:
            del values[bisect_left(values, readings[place - width])]
        if reading:
            insort(values, reading)
        half, odd = divmod(len(values), 2)
        if odd:
            smoothed.append(values[half])
        else:
            smoothed.append((values[half - 1] + values[half]) / 2 if half else None)
    return smoothed
