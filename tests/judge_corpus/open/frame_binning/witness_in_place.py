import numpy as np
from camera import bin_frame

frame = np.arange(100, 164, dtype=np.uint16).reshape(8, 8)
dark = np.full((8, 8), 120, dtype=np.uint16)
for factor in (2, 4):
    print(bin_frame(frame, dark, factor)[0].tolist())
print(int(frame.max()))
