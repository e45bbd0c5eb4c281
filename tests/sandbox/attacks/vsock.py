# attack: calls the hypervisor's host by a socket that knows no namespaces
# must: accepted
# prints: DENIED
import socket

for place in (0, 1, 2, 3):
    try:
        with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as channel:
            print("CANARY", place, channel)
    except OSError:
        pass
print("DENIED")
