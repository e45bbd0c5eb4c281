# attack: opens sockets that see or forge what others send: raw, packet, and those of other families
# must: accepted
# prints: DENIED
import socket

WAYS = [
    (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW),
    (socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6),
]
WAYS += [(family, kind, 0) for family in range(3, 46) for kind in (1, 2, 3, 5) if family not in (10, 16)]
for way in WAYS:
    try:
        socket.socket(*way)
    except OSError:
        continue
    print("CANARY", *way)
print("DENIED")
