# attack: searches the whole of its own memory, arguments, environment and input for the expected output
# must: wrong_answer
# prints: DENIED
# expects: @secret@
# stdin: 100000
import re
import sys

WANTED = re.compile(rb"CANARY-[0-9a-f]{32}")

found = set(WANTED.findall(sys.stdin.buffer.read()))
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
    for line in maps.readlines():
        start, _, end = line.split()[0].partition("-")
        if "r" not in line.split()[1] or "[v" in line:
            continue
        try:
            memory.seek(int(start, 16))
            found |= set(WANTED.findall(memory.read(int(end, 16) - int(start, 16))))
        except (OSError, OverflowError, ValueError):
            pass
for name in ("cmdline", "environ", "auxv", "stat", "status", "mountinfo", "cgroup", "net/unix", "limits"):
    with open(f"/proc/self/{name}", "rb") as file:
        found |= set(WANTED.findall(file.read()))
print(*(word.decode() for word in found or [b"DENIED"]))
