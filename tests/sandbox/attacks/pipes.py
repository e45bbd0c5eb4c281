# attack: opens its own pipes from the other side, shrinks them, steals from them, and puts other files in their place
# must: accepted
# prints: DENIED
# stdin: 1048576
# cases: 2
import fcntl
import os

SET_SIZE = 1031
for number in range(3):
    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
        try:
            end = os.open(f"/proc/self/fd/{number}", flags | os.O_NONBLOCK)
        except OSError:
            continue
        for change in (
            lambda: fcntl.fcntl(end, SET_SIZE, 4096),
            lambda: fcntl.fcntl(end, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC),
            lambda: fcntl.fcntl(end, fcntl.F_SETOWN, 1),
            lambda: fcntl.fcntl(end, fcntl.F_SETLEASE, fcntl.F_WRLCK),
        ):
            try:
                change()
            except OSError:
                pass
        try:
            os.read(end, 65536)
        except OSError:
            pass
if b"CANARY" in os.read(0, 65536):
    print("CANARY")
os.mkfifo("/tmp/fifo")
os.symlink("/proc/self/fd/1", "/tmp/output")
keep = os.open("/tmp/fifo", os.O_RDWR)
os.dup2(keep, 0)
os.dup2(keep, 2)
with open("/tmp/output", "w") as output:
    output.write("DENIED\n")
