# attack: spreads its memory over children, each of which has little
# must: memory_limit
import os
import time

for _ in range(20):
    if os.fork() == 0:
        kept = bytearray(b"x" * (30 << 20))
        time.sleep(60)
time.sleep(60)
