# attack: has the linker, the interpreter and the locale load files of its own, in the next case
# must: accepted
# prints: DENIED
# cases: 2
import os

SAY = "import os\nos.write(1, b'CANARY')\n"
for path in (
    "sitecustomize.py",
    "usercustomize.py",
    "os.py",
    "site.py",
    "main.pth",
    ".pythonrc",
    "pyvenv.cfg",
    ".bashrc",
):
    for folder in ("/tmp", "/tmp/.local/lib", "/dev/shm"):
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/{path}", "w") as file:
            file.write(SAY)
for path in ("/etc/ld.so.preload", "/etc/ld.so.conf.d/mine.conf", "/usr/lib/libmine.so", "/afterburner/program/os.py"):
    try:
        with open(path, "w") as file:
            file.write("/tmp/mine.so")
        print("CANARY", path)
    except OSError:
        pass
print("DENIED")
