# attack: connects to the host's loopback, to gateways and to the world, by TCP, UDP and name
# must: accepted
# prints: DENIED
import socket

TCP = [("127.0.0.1", int("@tcp_port@")), ("172.17.0.1", int("@tcp_port@")), ("0.0.0.0", int("@tcp_port@"))]
TCP += [("169.254.169.254", 80), ("1.1.1.1", 53), ("8.8.8.8", 443)]
for address in TCP:
    try:
        socket.create_connection(address, 1)
    except OSError:
        continue
    print("CANARY tcp", address)
for address in [("1.1.1.1", 53), ("255.255.255.255", 9), ("172.17.0.1", int("@udp_port@"))]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        try:
            channel.sendto(b"CANARY", address)
        except OSError:
            continue
        print("CANARY udp", address)
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
    channel.sendto(b"CANARY", ("127.0.0.1", int("@udp_port@")))  # its own loopback takes it; nobody is there
try:
    print("CANARY dns", socket.getaddrinfo("example.com", 80))
except OSError:
    pass
with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as channel:
    channel.settimeout(1)
    try:
        channel.connect(("2606:4700:4700::1111", 53))
    except OSError:
        pass
    else:
        print("CANARY tcp over version 6")
print("DENIED")
