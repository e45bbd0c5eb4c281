# attack: leaves children unreaped until no process can be started any more
# must: runtime_error
# limits: memory_kib=4194304
import os
import time

while True:
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError:
        time.sleep(0.01)
