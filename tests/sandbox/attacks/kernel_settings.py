# attack: writes kernel settings, those of control groups among them, wherever they are shown
# must: accepted
# prints: DENIED
import os

PATHS = ["/proc/sysrq-trigger", "/proc/self/oom_score_adj", "/proc/self/clear_refs", "/proc/self/coredump_filter"]
PATHS += [
    "/proc/self/uid_map",
    "/proc/self/gid_map",
    "/proc/self/setgroups",
    "/proc/self/loginuid",
    "/proc/irq/default_smp_affinity",
]
for top in ("/proc/sys", "/sys", "/proc/self/attr", "/proc/fs", "/proc/driver", "/proc/bus", "/proc/scsi", "/proc/tty"):
    PATHS += [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names]
for path in PATHS:
    try:
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        continue
    print("CANARY", path)
for folder in {os.path.dirname(path) for path in PATHS if path.startswith("/sys/fs/cgroup")}:
    try:
        os.mkdir(f"{folder}/mine")
        print("CANARY", folder)
    except OSError:
        pass
print("DENIED")
