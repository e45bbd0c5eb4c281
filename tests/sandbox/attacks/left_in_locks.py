# attack: leaves locks and leases on files that every case sees, held by a child that outlives it, for the next case
# must: accepted
# prints: DENIED
# cases: 3
import fcntl
import os
import sys
import time

SHARED = [sys.argv[0], sys.executable, "/afterburner/meter", "/", "/tmp", "/dev/null", "/usr/bin/env", "/etc/passwd"]

held = []
for path in SHARED:
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        continue
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        # The host's own programs lock nothing of this.
        print("CANARY", path)
    except OSError:
        pass
    for take in (
        lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
        lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
    ):
        try:
            take()
        except OSError:
            pass
    held.append(file)
if os.fork() == 0:
    os.setsid()
    time.sleep(60)
print("DENIED", flush=True)
os._exit(0)
