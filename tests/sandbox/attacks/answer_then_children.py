# attack: gives the right answer while children that it leaves behind ask for more processes than there may be
# must: runtime_error
# prints: right
# expects: right
# limits: memory_kib=4194304
import os
import time

print("right", flush=True)
for _ in range(100):
    try:
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
    except OSError:
        pass
time.sleep(1)
