# attack: leaves times and modes in the folder of pseudo-terminals, for the next case
# must: accepted
# prints: DENIED
# cases: 3
import os
import pty

for path in ("/dev/pts", "/dev/pts/ptmx", "/dev/ptmx"):
    try:
        status = os.stat(path)
    except OSError:
        continue
    if status.st_mtime == 987654321 or status.st_mode & 0o777 == 0o640:
        print("CANARY", path)
    for change in (lambda: os.utime(path, (987654321, 987654321)), lambda: os.chmod(path, 0o640)):
        try:
            change()
        except OSError:
            pass
if os.path.isdir("/dev/pts") and [name for name in os.listdir("/dev/pts") if name != "ptmx"]:
    print("CANARY", os.listdir("/dev/pts"))
try:
    pty.openpty()
except OSError:
    pass
print("DENIED")
