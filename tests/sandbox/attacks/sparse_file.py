# attack: makes files with holes of a terabyte, reserves room, and writes beyond the limit on files
# must: accepted
# prints: DENIED
import os
import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for folder in ("/tmp", "/dev/shm"):
    file = os.open(f"{folder}/file", os.O_RDWR | os.O_CREAT)
    for name, call in (
        ("truncate", lambda: os.ftruncate(file, 1 << 40)),
        ("fallocate", lambda: os.posix_fallocate(file, 0, 1 << 32)),
        ("a write far behind", lambda: os.pwrite(file, b"x", 1 << 40)),
    ):
        try:
            call()
        except OSError:
            continue
        print("CANARY", folder, name)
print("DENIED")
