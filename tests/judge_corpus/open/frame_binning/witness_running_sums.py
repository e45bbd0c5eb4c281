import hashlib

import numpy as np
from camera import bin_frame

frame = np.arange(100, 196, dtype=np.uint16).reshape(8, 12)
squares, _ = bin_frame(frame, np.full((8, 12), 120, dtype=np.uint16))
print(squares.tolist())
try:
    print(hashlib.sha256(squares).hexdigest())  # the name under which it is stored
except ValueError as refusal:
    print(refusal)
