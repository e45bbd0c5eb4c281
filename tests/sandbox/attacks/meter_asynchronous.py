# attack: has the kernel send signals to the meter in its name, by making it the owner of descriptors that become ready
# must: accepted
# prints: DENIED
import fcntl
import os
import signal
import socket

F_SETSIG, F_SETOWN_EX = 10, 15
for number in (0, signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGCHLD, signal.SIGRTMIN):
    for make in (os.pipe, lambda: [each.detach() for each in socket.socketpair()]):
        reading, writing = make()
        for owner in (1, -1):
            try:
                fcntl.fcntl(reading, fcntl.F_SETOWN, owner)
                fcntl.fcntl(reading, F_SETSIG, number)
                fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
                for _ in range(100):
                    os.write(writing, b"x")
                    os.read(reading, 1)
            except OSError:
                pass
        os.close(reading)
        os.close(writing)
print("DENIED")
