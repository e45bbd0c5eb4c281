def bin_frame(frame: NDArray[np.uint16], dark: NDArray[np.uint16], factor: int = 2) -> tuple[NDArray[np.int64], int]:
    """Counts above the dark frame, summed over squares of `factor` pixels, and how many pixels are saturated.

    A pixel below the dark frame counts as 0. Rows and columns that fill no square are left out.
    """
    if frame.shape != dark.shape:
        raise FrameError(f"frame of {frame.shape}, dark frame of {dark.shape}")
    if factor < 1:
        raise FrameError(f"squares of {factor} pixels")
    height, width = frame.shape[0] // factor, frame.shape[1] // factor
    used = frame[: height * factor, : width * factor]
    # Signed, and wide enough for the sums, before anything is taken off.
    above = used.astype(np.int64, order="C")
    above -= dark[: height * factor, : width * factor]
    np.maximum(above, 0, out=above)
    binned = above.reshape(height, factor, width, factor).sum(axis=(1, 3))
    return binned, int(np.count_nonzero(used == FULL))
