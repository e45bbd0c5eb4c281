# attack: gives the right answer, and then sleeps for longer than it may
# must: time_limit
# prints: right
# expects: right
# limits: wall_time_s=0.5
import time

print("right", flush=True)
time.sleep(60)
