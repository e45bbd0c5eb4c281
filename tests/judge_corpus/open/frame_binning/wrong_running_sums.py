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
    above = used.astype(np.int64) - dark[:rows, :columns]
    np.maximum(above, 0, out=above)
    # Running sums with a border of zeros; only those at the corners of squares matter.
    table = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    np.cumsum(above, axis=0, out=table[1:, 1:])
    np.cumsum(table[1:, 1:], axis=1, out=table[1:, 1:])
    corners = table[::factor, ::factor]
    corners[1:] -= corners[:-1]
    corners[:, 1:] -= corners[:, :-1]
    return corners[1:, 1:], int(np.count_nonzero(used == FULL))
