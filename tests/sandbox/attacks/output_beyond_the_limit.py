# attack: prints one byte more than it may, on the other output
# must: output_limit
# prints: DENIED
# limits: output_bytes=7
import sys
import time

print("DENIED", flush=True)
time.sleep(0.05)
sys.stderr.write(".")
