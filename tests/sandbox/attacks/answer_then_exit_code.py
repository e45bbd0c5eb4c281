# attack: gives the right answer, and then ends with an exit code that says otherwise
# must: runtime_error
# prints: right
# expects: right
import sys

print("right", flush=True)
sys.exit(256 + 1)
