# attack: keeps memory and programs in files that lie in no folder, and starts one of them
# must: accepted
# prints: DENIED
import ctypes
import os
import platform

libc = ctypes.CDLL(None, use_errno=True)
for flags in (0, 1, 2, 4, 8, 16):
    for name in (b"", b"program"):
        if libc.memfd_create(name, flags) >= 0:
            print("CANARY memfd_create", flags)
if libc.syscall(447, 0) >= 0:
    print("CANARY memfd_secret")
create = {"x86_64": 319, "aarch64": 279}[platform.machine()]
if libc.syscall(create, b"again", 0) >= 0:
    print("CANARY memfd_create by its number")
print("DENIED")
