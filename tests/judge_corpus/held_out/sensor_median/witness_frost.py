from smoothing import rolling_median

print(rolling_median([1.5, 0.0, -0.5, 0.0, -2.0, 0.0], 3))
