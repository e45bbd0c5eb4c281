# attack: keeps files open by sending their descriptors to itself, where no limit on open files counts them
# must: accepted
# prints: DENIED
import os
import socket

sent, kept = 0, []
try:
    while sent <= 4000:
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        pair[0].setblocking(False)
        kept.append(pair)
        try:
            while sent <= 4000:
                files = [os.open("/dev/null", os.O_RDONLY) for _ in range(100)]
                try:
                    socket.send_fds(pair[0], [b"x"], files)
                    sent += len(files)
                finally:
                    for file in files:
                        os.close(file)
        except BlockingIOError:
            pass  # this socket is full
except OSError:
    pass
print("DENIED" if sent <= 4000 else f"CANARY {sent}")
