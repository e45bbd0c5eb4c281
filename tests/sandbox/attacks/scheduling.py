# attack: starves the meter: takes real-time priority, lowers that of the meter, and leaves the cores it was given
# must: accepted
# prints: DENIED
import os

CALLS = {
    "real time": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)),
    "round robin": lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)),
    "nice": lambda: os.nice(-5),
    "affinity": lambda: os.sched_setaffinity(0, range(os.cpu_count())),
    "its affinity": lambda: os.sched_setaffinity(1, {0}),
    "its priority": lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
    "its group's priority": lambda: os.setpriority(os.PRIO_PGRP, 1, 19),
    "its user's priority": lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
    "its policy": lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
    "its parameters": lambda: os.sched_setparam(1, os.sched_param(0)),
}
for name, call in CALLS.items():
    try:
        call()
    except OSError:
        continue
    print("CANARY", name)
print("DENIED")
