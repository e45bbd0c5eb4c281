# attack: lowers its own limits and priority, pins nothing, and asks the machine many harmless questions
# must: accepted
# prints: 40 1 True
import os
import platform
import resource
import time

resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
before = os.nice(0)
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
known = [
    platform.platform(),
    os.cpu_count(),
    os.sched_getaffinity(0),
    time.get_clock_info("monotonic"),
    os.getloadavg(),
]
known += [os.uname(), os.times(), resource.getrusage(resource.RUSAGE_CHILDREN), os.sysconf("SC_PAGE_SIZE")]
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], os.nice(1) - before, all(known))
