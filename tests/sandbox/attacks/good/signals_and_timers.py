# attack: handles signals, real-time ones too, alarms and a child's end
# must: accepted
# prints: alarm, timer, user 7, child 3
import os
import signal
import time

seen = {}
signal.signal(signal.SIGALRM, lambda *_: seen.setdefault("alarm"))
signal.signal(signal.SIGVTALRM, lambda *_: seen.setdefault("timer"))
signal.signal(signal.SIGRTMIN + 7, lambda number, _: seen.setdefault(f"user {number - signal.SIGRTMIN}"))
signal.setitimer(signal.ITIMER_REAL, 0.02)
time.sleep(0.1)
signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
while "timer" not in seen:
    pass
os.kill(os.getpid(), signal.SIGRTMIN + 7)
child = os.fork()
if child == 0:
    os._exit(3)
seen[f"child {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}"] = None
print(", ".join(seen))
