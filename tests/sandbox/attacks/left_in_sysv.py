# attack: leaves System V shared memory, message queues and semaphores for the next case
# must: accepted
# prints: DENIED
# cases: 3
import ctypes
import glob

libc = ctypes.CDLL(None, use_errno=True)
KEY, EXISTING, NEW = 0x4AF7, 0o666, 0o1666

for name, find in (
    ("shared memory", lambda flags: libc.shmget(KEY, 4096, flags)),
    ("messages", lambda flags: libc.msgget(KEY, flags)),
    ("semaphores", lambda flags: libc.semget(KEY, 1, flags)),
):
    if find(EXISTING) != -1:
        print("CANARY", name)
    if find(NEW) != -1:
        print("made", name)
for path in glob.glob("/proc/sysvipc/*"):
    with open(path) as file:
        if len(file.readlines()) > 1:
            print("CANARY", path)
print("DENIED")
