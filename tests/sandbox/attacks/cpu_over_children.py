# attack: computes in short-lived children that nobody waits for, so that no process's own account shows the time
# must: time_limit
# limits: cpu_time_s=0.4 wall_time_s=10
import os
import signal
import time

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        until = time.monotonic() + 0.05
        while time.monotonic() < until:
            pass
        os._exit(0)
    time.sleep(0.04)
