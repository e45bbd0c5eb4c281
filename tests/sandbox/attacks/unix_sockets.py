# attack: connects to unix sockets of the host, abstract ones and files, and to the daemons that usually listen
# must: accepted
# prints: DENIED
import socket

ADDRESSES = [
    "\0@abstract_socket@",
    "@unix_socket@",
    "/proc/1/root@unix_socket@",
    "/var/run/docker.sock",
    "/run/docker.sock",
]
ADDRESSES += ["/run/containerd/containerd.sock", "/run/dbus/system_bus_socket", "/dev/log", "/run/systemd/private"]
ADDRESSES += ["\0/containerd-shim/", "\0/tmp/.X11-unix/X0", "/tmp/.X11-unix/X0", "/run/systemd/journal/socket"]
for address in ADDRESSES:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        with socket.socket(socket.AF_UNIX, kind) as channel:
            try:
                channel.connect(address)
            except OSError:
                continue
            print("CANARY", repr(address))
for line in open("/proc/net/unix").read().splitlines()[1:]:
    if "@abstract_socket@" in line:
        print("CANARY", line)
print("DENIED")
