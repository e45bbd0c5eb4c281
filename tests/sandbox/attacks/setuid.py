# attack: becomes root, by system calls, by files of its own and by the system's programs that make one root
# must: accepted
# prints: DENIED
import ctypes
import os
import shutil
import subprocess

for call in (os.setuid, os.setgid, os.seteuid, os.setegid):
    try:
        call(0)
        print("CANARY", call)
    except OSError:
        pass
try:
    os.setgroups([0])
    print("CANARY groups")
except OSError:
    pass
shutil.copy("/usr/bin/id", "/tmp/id")
os.chmod("/tmp/id", 0o6755)
ids = subprocess.run(["/tmp/id", "-u"], capture_output=True, text=True).stdout.split()
if ids not in ([str(os.getuid())], []) or os.getuid() == 0 or os.geteuid() == 0:
    print("CANARY", ids)
for folder in ("/usr/bin", "/usr/sbin", "/usr/local/bin"):
    for name in ("su", "sudo", "mount", "newgrp", "pkexec", "passwd", "sg", "setpriv"):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK):
            done = subprocess.run([path, "-c", "id -u"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.stdout.strip() == "0":
                print("CANARY", path)
if ctypes.CDLL(None).prctl(38, 0, 0, 0, 0) == 0:
    print("CANARY no_new_privs was cleared")
print("DENIED")
