# attack: reads files of the host by their paths, through the root and the working folder of every process, and upwards
# must: accepted
# prints: DENIED
import glob

paths = "@host_files@".split(":")
for root in glob.glob("/proc/*/root") + glob.glob("/proc/*/cwd") + ["/..", "/tmp/../.."]:
    paths += [root + path for path in paths[:4]]
    paths += [f"{root}/../../..{path}" for path in paths[:4]]
for path in paths:
    try:
        with open(path) as file:
            print("CANARY", path, file.read())
    except OSError:
        pass
print("DENIED")
