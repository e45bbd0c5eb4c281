# attack: looks for processes of other users, and for those of the host among them
# must: accepted
# prints: DENIED
import os

own = {1, os.getpid()}
for name in os.listdir("/proc"):
    if name.isdigit() and int(name) not in own:
        print("CANARY", name, open(f"/proc/{name}/cmdline").read())
for number in [int("@host_process@"), *range(2, 5000)]:
    if number in own:
        continue
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        continue
    except PermissionError:
        pass
    print("CANARY", number)
print("DENIED")
