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
    used = frame[:rows, :columns]
    noise = dark[:rows, :columns]
    saturated = int(np.count_nonzero(used == FULL))
    # Lift every pixel to the dark level first: the difference then never drops below zero.
    np.maximum(used, noise, out=used)
    np.subtract(used, noise, out=used)
    squares = used.reshape(height, factor, width, factor)
    return squares.sum(axis=(1, 3), dtype=np.int64), saturated
