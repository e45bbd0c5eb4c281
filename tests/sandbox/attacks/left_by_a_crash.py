# attack: crashes in children, so that core files lie where the next case finds them
# must: accepted
# prints: DENIED
# cases: 2
import os
import resource
import signal

for folder in ("/tmp", "/dev/shm"):
    if os.listdir(folder):
        print("CANARY", os.listdir(folder))
for folder in ("/tmp", "/dev/shm"):
    os.chdir(folder)
    for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGQUIT, signal.SIGXCPU):
        child = os.fork()
        if child == 0:
            try:
                resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))
            except (OSError, ValueError):
                pass
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if os.WCOREDUMP(status) or os.listdir(folder):
            print("CANARY", folder, number, os.listdir(folder))
print("DENIED")
