from smoothing import rolling_median

for width in (2, 0):
    try:
        print(width, rolling_median([], width))
    except ValueError as refused:
        print(width, refused)
