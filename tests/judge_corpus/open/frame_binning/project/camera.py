"""Frames of the survey camera: 14 bits a pixel at present, 16 bits with the new sensor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FULL = 0xFFFF  # a saturated pixel, of which nothing can be said


class FrameError(ValueError):
    """Frames that do not belong together."""


def bin_frame(frame: NDArray[np.uint16], dark: NDArray[np.uint16], factor: int = 2) -> tuple[NDArray[np.int64], int]:
    """Counts above the dark frame, summed over squares of `factor` pixels, and how many pixels are saturated.

    A pixel below the dark frame counts as 0. Rows and columns that fill no square are left out.
    """
    if frame.shape != dark.shape:
        raise FrameError(f"frame of {frame.shape}, dark frame of {dark.shape}")
    if factor < 1:
        raise FrameError(f"squares of {factor} pixels")
    height, width = frame.shape[0] // factor, frame.shape[1] // factor
    binned = np.zeros((height, width), dtype=np.int64)
    saturated = 0
    for row in range(height * factor):
        for column in range(width * factor):
            value = int(frame[row, column])
            if value == FULL:
                saturated += 1
            above = value - int(dark[row, column])
            if above > 0:
                binned[row // factor, column // factor] += above
    return binned, saturated


if __name__ == "__main__":
    rng = np.random.default_rng(61)
    for shot, (size, factor) in enumerate(((360, 2), (360, 3), (344, 4), (380, 2), (372, 6))):
        dark_frame = rng.integers(90, 140, (size, size), dtype=np.uint16)
        sky = rng.integers(80, 2_400, (size, size), dtype=np.uint16)
        sky[40:60, 40:60] += 5_000
        dark_frame[::37, ::29] = 64_000  # hot pixels
        sky[::37, ::29] = FULL
        squares, full = bin_frame(sky, dark_frame, factor)
        print(f"shot {shot}: {squares.shape}, {int(squares.sum())} counts, at most {int(squares.max())}, {full} full")
