from smoothing import rolling_median

print(rolling_median([21.5, 22.0, None, None, None, 24.0, 25.0], 3))
