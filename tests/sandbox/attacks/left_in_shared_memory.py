# attack: leaves POSIX shared memory and message queues for the next case, also unlinked but held by a child
# must: accepted
# prints: DENIED
# cases: 3
import ctypes
import os
import time
from multiprocessing import resource_tracker, shared_memory

libc = ctypes.CDLL(None, use_errno=True)
try:
    shared_memory.SharedMemory("left")
    print("CANARY shared memory")
except FileNotFoundError:
    pass
if libc.mq_open(b"/left", os.O_RDONLY) != -1:
    print("CANARY queue")
for folder in ("/dev/mqueue", "/dev/hugepages"):
    if os.path.isdir(folder) and os.listdir(folder):
        print("CANARY", folder)
for path in os.listdir("/proc"):
    try:
        links = os.listdir(f"/proc/{path}/fd") if path.isdigit() and int(path) not in (1, os.getpid()) else []
    except OSError:
        continue
    if links:
        print("CANARY descriptors of", path)

block = shared_memory.SharedMemory("left", create=True, size=4096)
resource_tracker.unregister(block._name, "shared_memory")
block.buf[:4] = b"left"
libc.mq_open(b"/left", os.O_CREAT | os.O_RDWR, 0o666, None)
if os.fork() == 0:
    os.setsid()
    time.sleep(60)
print("DENIED", flush=True)
os._exit(0)
