"""What attacks are aimed at: things of the host that no sandboxed program may read, reach or change."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

WORD = "CANARY"  # what an attack that succeeded prints; every secret begins with it
_VARIABLE = "AFTERBURNER_TEST_SECRET"


class Host:
    """The things, and what has become of them. Made by `attacked_host`.

    Attributes:
        secret: what their contents are.
        places: where they are, by the names that attacks use.
    """

    def __init__(self, stack: ExitStack) -> None:
        self.secret = f"{WORD}-{secrets.token_hex(16)}"
        self._files = [_file(stack, place, self.secret) for place in _readable_places()]
        self._folders = [_folder(stack, place) for place in ("/tmp", "/var/tmp")]  # noqa: S108 - as attackers would
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="afterburner-attacked-")))
        home.chmod(0o755)
        self._listeners = _listeners(stack, home)
        self._process = _process(stack, self.secret)
        os.environ[_VARIABLE] = self.secret
        stack.callback(os.environ.pop, _VARIABLE)
        self._settings = _settings(self._process.pid)
        self.places = {
            "secret": self.secret,
            "host_file": self._files[0],
            "host_files": ":".join(self._files),
            "host_folders": ":".join(self._folders),
            "variable": _VARIABLE,
            "tcp_port": str(self._listeners["tcp"].getsockname()[1]),
            "udp_port": str(self._listeners["udp"].getsockname()[1]),
            "abstract_socket": self._listeners["abstract"].getsockname()[1:].decode(),
            "unix_socket": self._listeners["unix"].getsockname(),
            "host_process": str(self._process.pid),
        }

    def harm(self) -> list[str]:
        """What an attack has done, in words."""
        found = [path for path in self._files if not _still_says(path, self.secret)]
        found += [str(path) for folder in self._folders for path in Path(folder).iterdir()]
        found += [f"reached by {name}" for name, listener in self._listeners.items() if _was_reached(listener)]
        if self._process.poll() is not None:
            return [*found, "a process was ended"]
        now = _settings(self._process.pid)
        return found + [f"{name}: {old} became {now[name]}" for name, old in self._settings.items() if now[name] != old]


def _still_says(path: str, text: str) -> bool:
    try:
        return Path(path).read_text("ascii") == text
    except FileNotFoundError:
        return False


@contextmanager
def attacked_host() -> Iterator[Host]:
    """Puts the things there, and takes them away."""
    with ExitStack() as stack:
        yield Host(stack)


def _readable_places() -> list[str]:
    """Where an attacker would look; below the working folder, one that git ignores."""
    cache = Path(".pytest_cache").absolute()
    cache.mkdir(exist_ok=True)
    return [str(Path.home()), str(cache), "/tmp", "/var/tmp"]  # noqa: S108 - the host's


def _file(stack: ExitStack, folder: str, text: str) -> str:
    descriptor, path = tempfile.mkstemp(prefix=".afterburner-attacked-", dir=folder)
    stack.callback(Path(path).unlink, missing_ok=True)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    Path(path).chmod(0o666)
    return path


def _folder(stack: ExitStack, parent: str) -> str:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="afterburner-attacked-", dir=parent))
    Path(folder).chmod(0o777)
    return folder


def _listeners(stack: ExitStack, home: Path) -> dict[str, socket.socket]:
    bound: dict[str, tuple[int, int, Any]] = {
        "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0afterburner-attacked-{secrets.token_hex(8)}"),
        "unix": (socket.AF_UNIX, socket.SOCK_STREAM, str(home / "socket")),
    }
    listeners = {}
    for name, (family, kind, address) in bound.items():
        listener = listeners[name] = stack.enter_context(socket.socket(family, kind))
        listener.setblocking(False)
        listener.bind(address)
        if kind == socket.SOCK_STREAM:
            listener.listen()
    (home / "socket").chmod(0o777)
    return listeners


def _was_reached(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_DGRAM:
            listener.recv(1)
        else:
            listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _process(stack: ExitStack, secret: str) -> subprocess.Popen[bytes]:
    """It ends with us, however we end."""
    command = [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()", secret]
    process = stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, env={_VARIABLE: secret}))
    stack.callback(process.kill)
    return process


def _settings(process: int) -> dict[str, object]:
    """What ought to be the same for as long as the tests take."""
    stat = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return {
        "name of the host": socket.gethostname(),
        "clock": round((time.time() - time.monotonic()) / 3600),
        "state of a process": stat[0] not in "TtZX",  # it may wait for the disk
        "its priority": stat[15:17],
        "its cores": os.sched_getaffinity(process),
        "core files": Path("/proc/sys/kernel/core_pattern").read_text("utf-8"),
    }
