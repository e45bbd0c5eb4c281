# attack: takes hold of processes by descriptors, and of the host's folders by those that were left open
# must: accepted
# prints: DENIED
import os
import signal

for number in (1, os.getppid(), int("@host_process@")):
    try:
        process = os.pidfd_open(number)
    except OSError:
        continue
    if number == int("@host_process@"):
        print("CANARY", number)
    for signal_number in (signal.SIGKILL, signal.SIGSTOP):
        signal.pidfd_send_signal(process, signal_number)
for number in range(3, 256):
    for path in ("@host_file@", "..", "../../../..@host_file@"):
        try:
            print("CANARY", number, os.readlink(f"/proc/self/fd/{number}"), os.stat(path.lstrip("/"), dir_fd=number))
        except OSError:
            pass
print("DENIED")
