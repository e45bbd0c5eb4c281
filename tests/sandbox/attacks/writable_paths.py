# attack: looks for a folder or file that it can write outside of those that are emptied, and for the host's
# must: accepted
# prints: DENIED
import os

EXPECTED = ("/tmp", "/dev/shm")
PLACES = [f"{folder}/written" for folder in "@host_folders@".split(":")] + "@host_files@".split(":")
for place in PLACES:
    for path in (place, f"/proc/self/root{place}", f"/proc/1/root{place}", f"/tmp/../..{place}"):
        try:
            file = os.open(path, os.O_WRONLY | (os.O_CREAT if path.endswith("/written") else 0))
            os.write(file, b"CANARY")
            print("CANARY", path)
        except OSError:
            pass
for folder, folders, names in os.walk("/"):
    if folder.startswith(("/proc", "/sys", *EXPECTED)) or folder.count("/") > 3:
        folders.clear()
        continue
    for path in [f"{folder}/probe"] + [f"{folder}/{name}" for name in names[:20]]:
        if path.startswith("/dev/"):
            continue
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        except OSError:
            continue
        print("CANARY", path)
    for way in (lambda: os.chmod(folder, 0o777), lambda: os.utime(folder), lambda: os.rename(folder, folder + "-")):
        try:
            way()
        except OSError:
            continue
        print("CANARY changed", folder)
print("DENIED")
