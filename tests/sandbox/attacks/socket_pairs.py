# attack: asks for pairs of sockets of every family, for which the kernel would load the host's modules
# must: accepted
# prints: DENIED
import errno
import socket

for family in range(64):
    if family == socket.AF_UNIX:
        continue
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            socket.socketpair(family, kind)
        except OSError as error:
            if error.errno == errno.EAFNOSUPPORT:
                continue
        print("CANARY", family, kind)
for protocol in range(1, 32):
    try:
        socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
    except OSError:
        continue
    print("CANARY netlink", protocol)
print("DENIED")
