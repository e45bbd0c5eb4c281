# attack: leaves a daemon that waits for the next case, and writes into its folders
# must: accepted
# prints: DENIED
# cases: 3
import os
import time

others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
if others or os.path.exists("/tmp/late") or os.path.exists("/dev/shm/late"):
    print("CANARY", others)
elif os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3):
            os.close(fd)
        while True:
            for folder in ("/tmp", "/dev/shm"):
                open(f"{folder}/late", "w").close()
    os._exit(0)
else:
    time.sleep(0.05)
    print("DENIED")
