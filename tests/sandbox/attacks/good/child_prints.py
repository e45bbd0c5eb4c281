# attack: lets a child print, which then outlives it
# must: accepted
# prints: child
import os
import time

if os.fork() == 0:
    print("child", flush=True)
    time.sleep(60)
else:
    time.sleep(0.2)
