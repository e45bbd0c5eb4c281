# attack: leaves keys in every keyring that the kernel keeps for a user or a session, for the next case
# must: accepted
# prints: DENIED
# cases: 3
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
ADD_KEY, REQUEST_KEY, KEYCTL = {"x86_64": (248, 249, 250), "aarch64": (217, 218, 219)}[platform.machine()]
THREAD, PROCESS, SESSION, USER, USER_SESSION = -1, -2, -3, -4, -5
SEARCH, READ, JOIN, LINK = 10, 11, 1, 8

for ring in (SESSION, USER, USER_SESSION):
    if libc.syscall(KEYCTL, SEARCH, ring, b"user", b"note", 0) != -1:
        print("CANARY", ring)
    if libc.syscall(KEYCTL, READ, ring, None, 0) != -1:
        print("CANARY read", ring)
if libc.syscall(REQUEST_KEY, b"user", b"note", None, 0) != -1:
    print("CANARY requested")
for ring in (THREAD, PROCESS, SESSION, USER, USER_SESSION):
    if libc.syscall(ADD_KEY, b"user", b"note", b"left", 4, ring) != -1:
        print("added to", ring)
for name in (None, b"shared"):
    if libc.syscall(KEYCTL, JOIN, name) != -1:
        print("joined", name)
print("DENIED")
