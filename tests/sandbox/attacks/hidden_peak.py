# attack: takes memory, gives it back, and clears the kernel's mark of how much it was
# must: memory_limit
# limits: memory_kib=65536
import time

kept = bytearray(b"x" * (80 << 20))
time.sleep(0.01)
del kept
try:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
except OSError:
    pass
print("done")
