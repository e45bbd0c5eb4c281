# attack: searches every file that it can read, but for programs and libraries, for the expected output
# must: wrong_answer
# prints: DENIED
# expects: @secret@
import os
import re
import stat
import sys

WANTED = re.compile(rb"CANARY-[0-9a-f]{32}")
LARGEST = 1 << 20
PROGRAMS = {"/proc", "/usr", sys.prefix, sys.base_prefix}

found = set()
for folder, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in PROGRAMS]
    found |= set(WANTED.findall(os.fsencode("\n".join(names))))
    for name in names:
        path = os.path.join(folder, name)
        try:
            status = os.lstat(path)
            if stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST:
                with open(path, "rb") as file:
                    found |= set(WANTED.findall(file.read()))
            elif stat.S_ISLNK(status.st_mode):
                found |= set(WANTED.findall(os.fsencode(os.readlink(path))))
        except OSError:
            pass
print(*(word.decode() for word in found or [b"DENIED"]))
