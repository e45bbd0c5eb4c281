# attack: makes links, FIFOs, memory maps and locks, and starts a program of its own making
# must: accepted
# prints: linked piped mapped locked started
import fcntl
import mmap
import os
import subprocess
import tempfile

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    done = []
    with open("file", "w") as file:
        file.write("linked")
    os.symlink("file", "soft")
    os.link("soft", "hard")
    done.append(open("hard").read())
    os.mkfifo("fifo")
    if os.fork() == 0:
        open("fifo", "w").write("piped")
        os._exit(0)
    done.append(open("fifo").read())
    os.wait()
    with open("map", "w+b") as file:
        file.truncate(4096)
        with mmap.mmap(file.fileno(), 4096) as view:
            view[:6] = b"mapped"
        done.append(open("map").read(6))
        fcntl.flock(file, fcntl.LOCK_EX)
        done.append("locked")
    with open("program", "w") as file:
        file.write("#!/bin/sh\necho started\n")
    os.chmod("program", 0o700)
    done.append(subprocess.run(["./program"], capture_output=True, text=True).stdout.strip())
    print(*done)
