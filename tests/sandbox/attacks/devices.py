# attack: makes device files, and opens those of disks, memory, terminals and virtual machines
# must: accepted
# prints: DENIED
import os
import stat

HARMLESS = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"}
for number, (major, minor) in {"mem": (1, 1), "kmsg": (1, 11), "sda": (8, 0), "vda": (254, 0), "null": (1, 3)}.items():
    for kind in (stat.S_IFCHR, stat.S_IFBLK):
        try:
            os.mknod(f"/tmp/{number}", 0o666 | kind, os.makedev(major, minor))
            print("CANARY mknod", number)
        except OSError:
            pass
for folder, _, names in os.walk("/dev"):
    for name in names:
        path = os.path.join(folder, name)
        if name in HARMLESS or not os.path.exists(path):
            continue
        if not (stat.S_ISCHR(os.stat(path).st_mode) or stat.S_ISBLK(os.stat(path).st_mode)):
            continue
        print("CANARY", path)
for name in (
    "mem",
    "kmem",
    "port",
    "kmsg",
    "sda",
    "vda",
    "nvme0",
    "kvm",
    "fuse",
    "net/tun",
    "loop0",
    "loop-control",
    "mapper",
):
    try:
        os.open(f"/dev/{name}", os.O_RDWR)
        print("CANARY open", name)
    except OSError:
        pass
for name in ("kcore", "kmem", "kallsyms", "sysrq-trigger"):
    try:
        with open(f"/proc/{name}", "rb") as file:
            if any(part for part in file.read(4096).split() if part.strip(b"0") and name != "kallsyms"):
                print("CANARY", name)
    except OSError:
        pass
print("DENIED")
