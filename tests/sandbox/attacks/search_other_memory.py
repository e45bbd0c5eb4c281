# attack: searches the memory of every other process, and what /proc tells of it, for the expected output
# must: wrong_answer
# prints: DENIED
# expects: @secret@
import ctypes
import glob
import os
import re

WANTED = re.compile(rb"CANARY-[0-9a-f]{32}")
libc = ctypes.CDLL(None, use_errno=True)


class Span(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]


found = set()
others = {1, os.getppid(), int("@host_process@"), *(int(name) for name in os.listdir("/proc") if name.isdigit())}
for process in others - {os.getpid()}:
    for path in glob.glob(f"/proc/{process}/*") + [f"/proc/{process}/{name}" for name in ("mem", "environ", "cmdline")]:
        try:
            with open(path, "rb") as file:
                found |= set(WANTED.findall(file.read(1 << 20)))
        except OSError:
            pass
    block = ctypes.create_string_buffer(4096)
    here = Span(ctypes.addressof(block), 4096)
    for start in (0x400000, 0x10000, 0x7FFFFFFDE000):
        there = Span(start, 4096)
        if libc.process_vm_readv(process, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0:
            print("read memory of", process)
print(*(word.decode() for word in found or [b"DENIED"]))
