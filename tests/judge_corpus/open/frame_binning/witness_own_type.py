import numpy as np
from camera import bin_frame

frame = np.full((4, 4), 52_000, dtype=np.uint16)  # the new sensor in bright light
squares, full = bin_frame(frame, np.full((4, 4), 100, dtype=np.uint16))
print(squares.tolist(), full)
