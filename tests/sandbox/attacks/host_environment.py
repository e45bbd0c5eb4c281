# attack: looks for a variable of the host's environment, in its own and in every process it can see
# must: accepted
# prints: DENIED
import glob
import os

if "@variable@" in os.environ:
    print("CANARY", os.environ["@variable@"])
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/task/*/environ"):
    try:
        with open(path, "rb") as file:
            found = b"@variable@=" in file.read()
    except OSError:
        continue
    if found:
        print("CANARY", path)
print("DENIED")
