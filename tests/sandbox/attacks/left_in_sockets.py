# attack: leaves connections to itself behind, whose ports the kernel remembers for a minute, for the next case
# must: accepted
# prints: DENIED
# cases: 3
import glob
import socket

for path in glob.glob("/proc/net/*"):
    if path.rsplit("/", 1)[1] in {"tcp", "tcp6", "udp", "udp6", "raw", "raw6", "icmp", "icmp6"}:
        with open(path) as file:
            for line in file.readlines()[1:]:
                print("CANARY", path, line.split()[1:4])
for port in range(20000, 20020):
    try:
        server = socket.create_server(("127.0.0.1", port))
        client = socket.create_connection(("127.0.0.1", port))
        server.accept()[0].close()
        client.close()
    except OSError:
        pass
print("DENIED")
