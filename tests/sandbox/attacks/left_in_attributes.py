# attack: leaves extended attributes, times and modes of the folders that stay, for the next case
# must: accepted
# prints: DENIED
# cases: 3
import os

for place in ("/tmp", "/dev/shm"):
    status = os.stat(place)
    if status.st_mtime == 987654321 or status.st_atime == 987654321:
        print("CANARY times", place)
    if status.st_mode & 0o7777 == 0o2771:
        print("CANARY mode", place)
    for name in os.listxattr(place):
        print("CANARY", place, name, os.getxattr(place, name))
    for name in ("user.note", "user." + "n" * 250, "trusted.note", "security.note", "security.capability"):
        for value in (b"left", b"v" * 4000):
            try:
                os.setxattr(place, name, value)
            except OSError:
                pass
    os.utime(place, (987654321, 987654321))
    os.chmod(place, 0o2771)
print("DENIED")
