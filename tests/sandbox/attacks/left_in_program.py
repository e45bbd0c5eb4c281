# attack: changes its own program, the meter and everything else the sandbox has put there, for the next case
# must: accepted
# prints: DENIED
# cases: 3
import os
import sys

folders = ["/afterburner", os.path.dirname(sys.argv[0])]
paths = [os.path.join(folder, name) for top in folders for folder, _, names in os.walk(top) for name in names]
if len(paths) < 2:
    print("CANARY: is the program elsewhere?", paths)
for path in {*paths, *folders}:
    status = os.stat(path)
    for what, change in (
        ("written", lambda: open(path, "ab").close()),
        ("emptied", lambda: os.truncate(path, 0)),
        ("removed", lambda: os.unlink(path)),
        ("renamed", lambda: os.rename(path, path + "~")),
        ("covered", lambda: os.symlink("/tmp/other", path + ".new")),
        ("linked", lambda: os.link(path, "/tmp/linked")),
        ("made unreadable", lambda: os.chmod(path, 0)),
        ("dated", lambda: os.utime(path, (1, 1))),
        ("noted on", lambda: os.setxattr(path, "user.note", b"left")),
    ):
        try:
            change()
        except OSError:
            continue
        print("CANARY", what, path)
    if os.listxattr(path) or (os.stat(path).st_mtime_ns, os.stat(path).st_mode) != (status.st_mtime_ns, status.st_mode):
        print("CANARY changed", path)
print("DENIED")
