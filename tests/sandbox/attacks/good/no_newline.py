# attack: prints no newline at the end, in many small writes
# must: accepted
# expects: 0 1 2 3 4
import os

for number in range(5):
    os.write(1, f"{number}{' ' if number < 4 else ''}".encode())
