# attack: closes its standard descriptors when it has printed, and goes on for a moment, with a child that outlives it
# must: accepted
# prints: done
import os
import time

print("done", flush=True)
for fd in range(3):
    os.close(fd)
if os.fork() == 0:
    time.sleep(0.2)
time.sleep(0.05)
os._exit(0)
