# attack: leaves access control lists of the folders that stay, for the next case
# must: accepted
# prints: DENIED
# cases: 3
import os
import struct

USER_OBJECT, USER, GROUP_OBJECT, GROUP, MASK, OTHER = 1, 2, 4, 8, 16, 32
NOBODY, NO_ID = 65534, 0xFFFFFFFF
LISTS = [
    [(USER_OBJECT, 7, NO_ID), (USER, bits, who), (GROUP_OBJECT, 7, NO_ID), (MASK, 7, NO_ID), (OTHER, 3, NO_ID)]
    for who in (NOBODY, 4242)
    for bits in (5, 0)
]

for place in ("/tmp", "/dev/shm"):
    for name in os.listxattr(place):
        print("CANARY", place, name, os.getxattr(place, name).hex())
    for name in ("system.posix_acl_default", "system.posix_acl_access"):
        for entries in LISTS:
            value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
            try:
                os.setxattr(place, name, value)
            except OSError:
                pass
print("DENIED")
