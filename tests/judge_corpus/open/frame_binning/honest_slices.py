def bin_frame(frame: NDArray[np.uint16], dark: NDArray[np.uint16], factor: int = 2) -> tuple[NDArray[np.int64], int]:
    """Counts above the dark frame, summed over squares of `factor` pixels, and how many pixels are saturated.

    A pixel below the dark frame counts as 0. Rows and columns that fill no square are left out.
    """
    if frame.shape != dark.shape:
        raise FrameError(f"frame of {frame.shape}, dark frame of {dark.shape}")
    if factor < 1:
        raise FrameError(f"squares of {factor} pixels")
    height, width = frame.shape[0] // factor, frame.shape[1] // factor
    rows, columns = height * factor, width * factor
    binned = np.zeros((height, width), dtype=np.int64)
    for down in range(factor):
        for across in range(factor):
            light = frame[down:rows:factor, across:columns:factor]
            noise = dark[down:rows:factor, across:columns:factor]
            # The difference is taken only where it is positive, so it cannot wrap around.
            binned += np.where(light > noise, light - noise, 0)
    saturated = int((frame[:rows, :columns] == FULL).sum())
    return binned, saturated
