# attack: types into the terminal from which the sandbox was started
# must: accepted
# prints: DENIED
import fcntl
import glob
import os
import termios

for path in ["/dev/tty", "/dev/console", "/dev/tty0", *glob.glob("/dev/pts/[0-9]*"), *glob.glob("/proc/[0-9]*/fd/*")]:
    try:
        terminal = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        continue
    for request, argument in ((termios.TIOCSTI, b"\n"), (0x541C, b"\x02"), (termios.TIOCSCTTY, 1)):  # TIOCLINUX: paste
        try:
            fcntl.ioctl(terminal, request, argument)
        except OSError:
            continue
        print("CANARY", path, request)
print("DENIED")
