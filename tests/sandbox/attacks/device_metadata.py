# attack: changes the times and the mode of device nodes, which under the real root are the host's own
# must: accepted
# prints: DENIED
import os

# To what they are anyway: a machine on which this succeeds shall survive it.
for name in os.listdir("/dev"):
    path = f"/dev/{name}"
    try:
        status = os.stat(path)
    except OSError:
        continue
    if name == "shm" or os.path.realpath(path).startswith("/proc/"):
        continue
    for what, change in (
        ("times", lambda: os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))),
        ("mode", lambda: os.chmod(path, status.st_mode & 0o7777)),
        ("owner", lambda: os.chown(path, status.st_uid, status.st_gid)),
        ("attribute", lambda: os.setxattr(path, "user.note", b"1")),
        ("name", lambda: os.rename(path, path + "-")),
    ):
        try:
            change()
        except OSError:
            continue
        print("CANARY", what, path)
print("DENIED")
