# attack: reads and writes what /proc shows of the meter: memory, descriptors, environment, root, links
# must: accepted
# prints: DENIED
import os

LISTED = ["map_files", "cwd", "root", "fdinfo", "task/1/cwd"]
FILES = ["mem", "environ", "maps", "smaps", "pagemap", "auxv", "stack", "syscall", "io", "personality", "exe"]
FILES += ["ns/user", "ns/mnt"] + [f"fd/{number}" for number in range(32)]
WAYS = (
    os.readlink,
    lambda path: open(path, "rb").read(1),
    lambda path: open(path, "wb"),
    lambda path: open(path, "ab"),
)
for base in ("/proc/1", "/proc/1/task/1"):
    for name in LISTED + FILES:
        for way in (os.listdir, os.readlink) if name in LISTED else WAYS:
            try:
                found = way(f"{base}/{name}")
            except OSError:
                continue
            print("CANARY", base, name, found)
    for name in ("oom_score_adj", "comm", "clear_refs", "coredump_filter", "timerslack_ns", "attr/current"):
        try:
            open(f"{base}/{name}", "w").write("1")
        except OSError:
            continue
        print("CANARY", base, name)
print("DENIED")
