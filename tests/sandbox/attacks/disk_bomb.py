# attack: fills every writable folder; it gets no further than their size
# must: accepted
# prints: DENIED
import errno

written = 0
for folder in ("/tmp", "/dev/shm"):
    for number in range(100):
        try:
            with open(f"{folder}/{number}", "wb", buffering=0) as file:
                while True:
                    written += file.write(bytes(1 << 20))
        except OSError as error:
            if error.errno == errno.ENOSPC:
                break
print("DENIED" if written <= 129 << 20 else f"CANARY {written}")
