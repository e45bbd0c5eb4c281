# attack: kills, stops and terminates everything that can be reached, the meter in particular
# must: accepted
# prints: DENIED
import os
import signal
import subprocess

HOST = int("@host_process@")
child = subprocess.Popen(["/bin/sleep", "60"])
for target in (1, -1, os.getppid(), HOST):
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL, signal.SIGCONT):
        if target == -1 and number == signal.SIGSTOP:
            continue
        try:
            os.kill(target, number)
        except (ProcessLookupError, PermissionError):
            pass
        else:
            if target == HOST:
                print("CANARY")
print("DENIED" if child.wait() < 0 else "CANARY", flush=True)
