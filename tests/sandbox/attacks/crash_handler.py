# attack: crashes, for the host's own handler of crashes to start outside of the sandbox, fed with what the program likes
# must: accepted
# prints: DENIED
import os
import resource

# The kernel starts no handler for a process whose limit is 1, whatever the pattern says; for 0 it does (core(5)).
for limits in ((0, 0), (resource.RLIM_INFINITY, resource.RLIM_INFINITY), (2, 2)):
    try:
        resource.setrlimit(resource.RLIMIT_CORE, limits)
    except (OSError, ValueError):
        continue
    print("CANARY", limits)
if resource.getrlimit(resource.RLIMIT_CORE) != (1, 1):
    print("CANARY", resource.getrlimit(resource.RLIMIT_CORE))
if os.fork() == 0:
    os.abort()
print("DENIED" if os.wait()[1] == 6 else "CANARY dumped")
