# attack: sends as many packets to itself as it has to say, for the next case to read from the kernel's counters
# must: accepted
# prints: DENIED
# cases: 3
import socket


def counted():
    """What the loopback and the protocols have counted."""
    found = {}
    with open("/proc/net/dev") as file:
        for line in file:
            if line.strip().startswith("lo:"):
                found["lo"] = line.split(":")[1].split()
    for name in ("snmp", "netstat"):
        with open(f"/proc/net/{name}") as file:
            lines = file.read().splitlines()
        for names, values in zip(lines[::2], lines[1::2]):
            for key, value in zip(names.split()[1:], values.split()[1:]):
                if key in {"OutRequests", "OutNoRoutes", "OutDatagrams", "NoPorts", "ActiveOpens", "OutSegs"}:
                    found[names.split()[0] + key] = value
    return found


values = {value for each in counted().values() for value in (each if isinstance(each, list) else [each])}
if values - {"0"}:
    print("CANARY", counted())
for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "::1")):
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        try:
            with socket.socket(family, kind) as line:
                line.settimeout(0.1)
                line.connect((address, 9))
                line.send(b"left")
        except OSError:
            pass
print("DENIED")
