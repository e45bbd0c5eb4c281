# attack: reads what /proc shows to the real root alone, whom a program may be taken for
# must: accepted
# prints: DENIED
import os
import stat

NAMES = "kcore kmsg kpagecount kpageflags kpagecgroup slabinfo timer_list vmallocinfo pagetypeinfo sched_debug kallsyms"
for name in {*NAMES.split(), *os.listdir("/proc")}:
    path = f"/proc/{name}"
    try:
        mode = os.lstat(path).st_mode
        if not stat.S_ISREG(mode) or mode & stat.S_IROTH:
            continue
        with open(path, "rb", buffering=0) as file:
            found = file.read(64)
    except OSError:
        continue
    if found:
        print("CANARY", path, oct(mode), found)
print("DENIED")
