from bisect import bisect_left, insort_right


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
        if place >= width:
            leaving = readings[place - width]
            if leaving is not None:
                # Equal values stand in the order in which they came, so the leftmost one is the oldest.
                del values[bisect_left(values, leaving)]
        if reading is not None:
            insort_right(values, reading)
        size = len(values)
        if not size:
            smoothed.append(None)
        elif size % 2:
            smoothed.append(values[size // 2])
        else:
            smoothed.append((values[size // 2 - 1] + values[size // 2]) / 2)
    return smoothed
