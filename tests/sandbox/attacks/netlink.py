# attack: asks the kernel for the machine's network interfaces, and raises and renames them
# must: accepted
# prints: DENIED
import socket
import struct

LIST_LINKS, SET_LINK = 18, 16
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as channel:
    channel.settimeout(1)
    channel.bind((0, 0))
    channel.send(struct.pack("=IHHII", 32, LIST_LINKS, 0x301, 1, 0) + bytes(16))
    answer = channel.recv(65536)
    for name in (b"eth", b"ens", b"enp", b"docker", b"veth", b"wl"):
        if name in answer:
            print("CANARY", name)
    channel.recv(65536)
    channel.send(struct.pack("=IHHII", 32, SET_LINK, 5, 2, 0) + struct.pack("=BxHiII", 0, 0, 1, 0, 0xFFFFFFFF))
    length, kind, flags, number, port, error = struct.unpack("=IHHIIi", channel.recv(65536)[:20])
    if kind == 2 and error == 0:
        print("CANARY changed a link")
print("DENIED")
