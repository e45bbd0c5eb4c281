def bin_frame(frame: NDArray[np.uint16], dark: NDArray[np.uint16], factor: int = 2) -> tuple[NDArray[np.int64], int]:
    """Counts above the dark frame, summed over squares of `factor` pixels, and how many pixels are saturated.

    A pixel below the dark frame counts as 0. Rows and columns that fill no square are left out.
    """
    if frame.shape != dark.shape:
        raise FrameError(f"frame of {frame.shape}, dark frame of {dark.shape}")
    if factor < 1:
        raise FrameError(f"squares of {factor} pixels")
    height, width = frame.shape[0] // factor, frame.shape[1] // factor
    columns = width * factor
    binned = np.zeros((height, width), dtype=np.int64)
    saturated = 0
    for square in range(height):
        sums = [0] * columns
        for row in range(square * factor, (square + 1) * factor):
            values = frame[row, :columns].tolist()
            saturated += values.count(FULL)
            for column, (value, noise) in enumerate(zip(values, dark[row, :columns].tolist())):
                if value > noise:
                    sums[column] += value - noise
        binned[square] = [sum(sums[left : left + factor]) for left in range(0, columns, factor)]
    return binned, saturated
