# attack: leaves flags, such as "not to be dumped", on the folders that stay, for the next case
# must: accepted
# prints: DENIED
# cases: 3
import fcntl
import os
import struct

GET_FLAGS, SET_FLAGS, GET_MORE, SET_MORE = 0x80086601, 0x40086602, 0x801C581F, 0x401C5820
NODUMP, NOATIME, APPEND_ONLY, IMMUTABLE = 0x40, 0x80, 0x20, 0x10

for place in ("/tmp", "/dev/shm"):
    folder = os.open(place, os.O_RDONLY)
    try:
        flags = struct.unpack("Q", fcntl.ioctl(folder, GET_FLAGS, bytes(8)))[0]
        more = fcntl.ioctl(folder, GET_MORE, bytes(28))
    except OSError:
        continue  # this kernel keeps no flags there
    if flags & (NODUMP | NOATIME | APPEND_ONLY | IMMUTABLE) or any(more):
        print("CANARY", place, hex(flags), more.hex())
    for wanted in (NODUMP, NODUMP | NOATIME, NODUMP | NOATIME | APPEND_ONLY, IMMUTABLE):
        try:
            fcntl.ioctl(folder, SET_FLAGS, struct.pack("Q", wanted))
        except OSError:
            pass
    try:
        fcntl.ioctl(folder, SET_MORE, struct.pack("IIIII8x", 0, 0, 0, 4242, 0))
    except OSError:
        pass
print("DENIED")
