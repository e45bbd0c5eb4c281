"""Lends a Docker daemon and an image with Python and C++, for tests and for trying the Docker backend.

    python -m scripts.docker_daemon                holds the daemon until its stdin ends; first prints one line of JSON
    python -m scripts.docker_daemon COMMAND ...    runs a command with DOCKER_HOST and AFTERBURNER_TEST_IMAGE set

A daemon that answers is used as it is. Where none does, one is started in a temporary folder, on a socket of its own;
everybody who asks shares it, and it stops, and leaves nothing behind, when the last of them is gone, however they
ended. That takes root, `dockerd` and `debootstrap`. The image comes from no registry: its root filesystem is made with
debootstrap, from where this machine's apt installs, and kept in the user's cache.

Ends with status 75 and the reason on stderr where it cannot be done.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import docker
from docker.errors import DockerException

from afterburner.sandbox.folders import cache_folder
from scripts.debian_images import DebianImage, UnableError, provide_image, run, this_release

if TYPE_CHECKING:
    from collections.abc import Iterator

UNABLE = 75  # EX_TEMPFAIL: the machine lacks something, nothing is wrong
PACKAGES = ("python3", "python3-venv", "g++", "bubblewrap")
FOLDER = Path(tempfile.gettempdir()) / f"afterburner-docker-{os.geteuid()}"
LOCK = cache_folder() / "docker-test.lock"
URL = f"unix://{FOLDER}/docker.sock"
MEETING = FOLDER / "leases.sock"  # who is connected here keeps the daemon alive
CONTROL_GROUPS = Path("/sys/fs/cgroup")
START_TIMEOUT_S = 60.0
FIRST_LEASE_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 30.0


def main() -> int:
    """Lends, as the module's text says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--supervise", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    try:
        if options.supervise:
            return supervise()
        with lend() as (url, image):
            return use(options.command, url, image)
    except UnableError as error:
        print(error, file=sys.stderr)
        return UNABLE


def use(command: list[str], url: str, image: str) -> int:
    """Runs the command; without one, tells what is lent and waits for the end of stdin."""
    if command:
        environment = {**os.environ, "DOCKER_HOST": url, "AFTERBURNER_TEST_IMAGE": image}
        return subprocess.run(command, env=environment, check=False).returncode
    print(json.dumps({"url": url, "image": image}), flush=True)
    sys.stdin.read()
    return 0


@contextmanager
def lend() -> Iterator[tuple[str, str]]:
    """The address of a daemon, and the name of an image that it has."""
    url = running_daemon()
    if url is not None:
        with only_one():
            image = provide_image(url, own_image())
        yield url, image
        return
    missing = [name for name in ("dockerd", "debootstrap", "setpriv") if shutil.which(name) is None]
    if missing or os.geteuid() != 0:
        what = "root" if not missing else ", ".join(missing)
        raise UnableError(
            f"No Docker daemon answers, and one cannot be started for this without {what}. As root: "
            "`apt-get install docker.io debootstrap`."
        )
    with only_one():
        lease = join() or start()
    with lease:
        yield URL, own_image().name
        lease.shutdown(socket.SHUT_WR)
        lease.settimeout(STOP_TIMEOUT_S * 2)
        with suppress(OSError):
            lease.recv(1)  # the end: either others go on, or all is gone


def running_daemon() -> str | None:
    """The daemon that the environment names, or the system's, if it answers."""
    url = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    try:
        client = docker.DockerClient(base_url=url, timeout=10)
    except DockerException:
        return None
    with closing(client):
        try:
            client.ping()
        except DockerException:
            return None
    return url


@contextmanager
def only_one() -> Iterator[None]:
    """Nobody else starts or stops the daemon, or makes the image."""
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def join() -> socket.socket | None:
    """A lease of the daemon that runs; None if none does."""
    lease = socket.socket(socket.AF_UNIX)
    try:
        lease.connect(str(MEETING))
    except OSError:
        lease.close()
        return None
    return lease


def start() -> socket.socket:
    """Starts a daemon, with somebody who looks after it, and takes the first lease."""
    own_image().archive()  # long, and better told of in the foreground
    clear()
    FOLDER.mkdir(mode=0o700)
    with tempfile.TemporaryFile("w+", errors="replace") as log:
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "scripts.docker_daemon", "--supervise"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=Path(__file__).parents[1],
            start_new_session=True,  # it outlives whoever happened to come first
        )
        while supervisor.poll() is None:
            lease = join()
            if lease is not None:
                return lease
            time.sleep(0.05)
        log.seek(0)
        told = log.read().strip().splitlines()[-1:]
    clear()
    raise UnableError(f"The Docker daemon does not start here: {' '.join(told)[:1000]}")


def supervise() -> int:
    """Starts the daemon, waits until nobody needs it any more, and takes everything away."""
    os.chdir("/")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    daemon = start_daemon()
    with ExitStack() as stack:  # the last to leave hears, and the lock is free, only when all is gone
        try:
            wait_until_up(daemon, URL)
            provide_image(URL, own_image())
            with socket.socket(socket.AF_UNIX) as meeting:
                meeting.bind(str(MEETING))
                meeting.listen(64)
                wait_until_unneeded(meeting, stack)
        finally:
            stop(daemon, URL)
            clear()
    return 0


def wait_until_unneeded(meeting: socket.socket, stack: ExitStack) -> None:
    """Waits for the end of the last lease; then the stack holds it, and the lock under which others would join."""
    leases: list[socket.socket] = []
    while True:
        ready, _, _ = select.select([meeting, *leases], [], [], None if leases else FIRST_LEASE_TIMEOUT_S)
        if meeting in ready:
            leases.append(meeting.accept()[0])
            continue
        if len(ready) == len(leases) and (lock := last_word(meeting)):
            stack.enter_context(lock)
            for lease in leases:
                stack.enter_context(lease)
            return
        for lease in ready:
            leases.remove(lease)
            lease.close()


def last_word(meeting: socket.socket) -> TextIO | None:
    """The lock, unless somebody holds it who may be about to join, or has joined just now."""
    lock = LOCK.open("w")
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not select.select([meeting], [], [], 0)[0]:
            return lock
    lock.close()
    return None


def start_daemon(folder: Path = FOLDER, *, with_networks: bool = False) -> subprocess.Popen[bytes]:
    """A daemon in this folder, which touches nothing of the machine's network and ends with this process.

    Its containers have no network. With `with_networks`, the daemon has a network namespace of its own, and they have
    what Docker sets up there; `in_networks_of` runs a command in it. `clear` takes away what it leaves behind.
    """
    no_networks = {} if with_networks else {"iptables": False, "ip6tables": False, "bridge": "none"}
    settings = {
        "data-root": f"{folder}/data",
        "exec-root": f"{folder}/exec",
        "pidfile": f"{folder}/docker.pid",
        "hosts": [f"unix://{folder}/docker.sock"],
        "cgroup-parent": f"/{folder.name}",
        **no_networks,
    }
    (folder / "daemon.json").write_text(json.dumps(settings))
    command = ["setpriv", "--pdeathsig", "TERM"]
    if with_networks:
        command += ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    command += ["dockerd", "--config-file", str(folder / "daemon.json")]
    return subprocess.Popen(command, start_new_session=True)


def in_networks_of(daemon: subprocess.Popen[bytes], command: list[str]) -> list[str]:
    """The command, run where the published ports of a daemon with networks are."""
    return ["nsenter", f"--net=/proc/{daemon.pid}/ns/net", *command]


def wait_until_up(daemon: subprocess.Popen[bytes], url: str) -> None:
    """Returns when the daemon answers there."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while daemon.poll() is None and time.monotonic() < deadline:
        with suppress(DockerException), closing(docker.DockerClient(base_url=url, timeout=10)) as client:
            client.ping()
            return
        time.sleep(0.05)
    if daemon.poll() is None:
        sys.exit(f"It does not answer after {START_TIMEOUT_S:.0f} s.")
    sys.exit(1)  # the daemon's own words are the last in the log


def own_image() -> DebianImage:
    """The image that is lent."""
    return DebianImage(this_release(), PACKAGES)


def stop(daemon: subprocess.Popen[bytes], url: str) -> None:
    """Ends every container, then the daemon."""
    with suppress(DockerException), closing(docker.DockerClient(base_url=url, timeout=60)) as client:
        for container in client.containers.list(all=True, ignore_removed=True):
            with suppress(DockerException):
                container.remove(force=True)
    daemon.terminate()
    try:
        daemon.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(daemon.pid, signal.SIGKILL)
        daemon.wait()


def clear(folder: Path = FOLDER) -> None:
    """Takes away what the daemon in this folder left: mounts, files and control groups."""
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for place in reversed([mount for mount in mounts if Path(mount).is_relative_to(folder)]):
        with suppress(UnableError):
            run(["umount", "--lazy", place])
    shutil.rmtree(folder, ignore_errors=True)
    for group in [*CONTROL_GROUPS.glob(folder.name), *CONTROL_GROUPS.glob(f"*/{folder.name}")]:
        for inner, _, _ in os.walk(group, topdown=False):
            with suppress(OSError):
                Path(inner).rmdir()


if __name__ == "__main__":
    sys.exit(main())
