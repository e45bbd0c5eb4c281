# attack: closes its outputs, so that it may look as if it had ended
# must: time_limit
# limits: wall_time_s=0.5
import os
import time

for fd in range(256):
    try:
        os.close(fd)
    except OSError:
        pass
time.sleep(60)
