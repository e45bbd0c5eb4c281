# attack: gives the right answer, and then ends by a signal
# must: runtime_error
# prints: right
# expects: right
import os

print("right", flush=True)
os.kill(os.getpid(), 9)
