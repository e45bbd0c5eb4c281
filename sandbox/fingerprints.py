"""Tells whether a program would find the same as before: interpreter, packages, project, machine.

Files that we have put there ourselves, such as the copy of a project, count by what they hold. Others count by their
names, sizes and times of change: an installation has tens of thousands of them, and reading them would take longer than
what is saved by knowing.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import threading
import time
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.inside import INSIDE, bind_driver

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.sandbox.types import Bind, PythonEnvironment

_OF_THE_SYSTEM = (
    *("/etc/ld.so.cache", "/etc/os-release", "/etc/localtime", "/etc/timezone"),
    *("/var/lib/dpkg/status", "/var/lib/rpm/rpmdb.sqlite", "/lib/apk/db/installed", "/var/lib/pacman/local"),
)  # the last: what is installed
_CPU = re.compile(r"^(?:model name|flags|Features)\s*:.*$", re.MULTILINE)  # numeric libraries choose their code by it
_OUR_SANDBOX = str(Path(__file__).parent)
_NIX_STORE = "/nix/store"  # whatever changes there has another path
_FOREIGN = "__pycache__"  # changes when something is imported
_CHUNK_BYTES = 1 << 20


class Fingerprints:
    """Digests of what environments show of the disk, each made once.

    Args:
        staged: the folder below which everything has been put by us.
    """

    def __init__(self, staged: Path) -> None:
        self._staged = staged
        self._known: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def of(self, environment: PythonEnvironment) -> bytes:
        """Hash what a program in this environment finds on this machine and on this day.

        The day counts since programs may ask for it.

        Raises:
            OSError: something cannot be looked at.
        """
        found = hashlib.sha256()
        machine = os.uname()
        now = time.time()
        days = time.strftime("%F", time.gmtime(now)), time.strftime("%F", time.localtime(now))
        feed(found, (machine.nodename, machine.release, machine.machine, days, os.cpu_count(), _cpu()))
        feed(found, tuple(_change_of(path, os.lstat(path)) for path in _OF_THE_SYSTEM if os.path.lexists(path)))
        feed(found, tuple((bind.destination, self._of_bind(bind)) for bind in (*environment.binds, bind_driver())))
        feed(found, tuple(self._of_folder(folder) for folder in _not_bound(environment)))
        feed(found, self._of_folder(_OUR_SANDBOX, is_ours=True))
        feed(
            found,
            (
                os.path.realpath(environment.executable),
                environment.executable,
                _change_of("", Path(environment.executable).stat()),
                environment.version,
            ),
        )
        feed(found, (environment.import_paths, environment.working_directory, environment.prefix))
        return found.digest()

    def _of_bind(self, bind: Bind) -> bytes:
        if bind.source == _NIX_STORE:
            return b""
        is_ours = bind.destination.startswith(INSIDE) or Path(bind.source).is_relative_to(self._staged)
        return self._of_folder(bind.source, is_ours=is_ours)

    def _of_folder(self, folder: str, *, is_ours: bool = False) -> bytes:
        with self._lock:
            if folder not in self._known:
                self._known[folder] = _digest(folder, _content_of if is_ours else _change_of)
            return self._known[folder]


def _not_bound(environment: PythonEnvironment) -> list[str]:
    """The folders of a Python that a container shows anyway, as those of the system's own: packages and library."""
    bound = [bind.source for bind in environment.binds]
    name = "python{}.{}".format(*environment.version)
    library = Path(os.path.realpath(environment.executable)).parent.parent / "lib" / name
    folders = [*environment.site_packages, *([str(library)] if library.is_dir() else [])]
    return [each for each in folders if not any(map(Path(each).is_relative_to, bound))]


@cache
def _cpu() -> str:
    try:
        return "\n".join(sorted(set(_CPU.findall(Path("/proc/cpuinfo").read_text("utf-8")))))
    except OSError:
        return ""


def feed(into: hashlib._Hash, value: object) -> None:
    """Take a value into a hash so that different values never look the same.

    Values are numbers, texts, bytes, tuples, and dataclasses of these.

    Raises:
        TypeError: it is something else.
    """
    match value:
        case None | bool() | int() | float():
            data = repr(value).encode()
        case Enum():
            data = repr(value).encode()
        case str():
            data = value.encode("utf-8", "surrogatepass")
        case bytes():
            data = value
        case tuple():
            into.update(b"tuple %d\n" % len(value))
            for each in value:
                feed(into, each)
            return
        case _ if is_dataclass(value):
            feed(into, (type(value).__name__, *(getattr(value, field.name) for field in fields(value))))
            return
        case _:
            raise TypeError(type(value).__name__)
    into.update(b"%s %d\n" % (type(value).__name__.encode(), len(data)))
    into.update(data)


def _digest(place: str, tell: Callable[[str, os.stat_result], str]) -> bytes:
    """Of all files, links and folders at and below a place, with what is told of each. Quick: there are many."""
    found = hashlib.sha256(tell(place, os.lstat(place)).encode())
    waiting = [place]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except NotADirectoryError:
            break  # the place itself
        entries = [entry for entry in entries if entry.name != _FOREIGN]
        lines = [f"{len(entries)} in {folder[len(place) :]}"]
        for entry in entries:
            lines.append(f"{entry.name}\0{tell(entry.path, entry.stat(follow_symlinks=False))}")
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
        found.update("\0\0".join(lines).encode("utf-8", "surrogateescape"))
    return found.digest()


def _change_of(path: str, status: os.stat_result) -> str:
    if stat.S_ISDIR(status.st_mode):
        return f"{status.st_mode}"  # its time changes with `__pycache__`
    link = os.readlink(path) if stat.S_ISLNK(status.st_mode) else ""  # noqa: PTH115 - quicker
    return f"{status.st_mode} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {link}"


def _content_of(path: str, status: os.stat_result) -> str:
    if stat.S_ISLNK(status.st_mode):
        return f"{status.st_mode} {os.readlink(path)}"  # noqa: PTH115 - quicker
    if not stat.S_ISREG(status.st_mode):
        return f"{status.st_mode}"
    found = hashlib.sha256()
    with open(path, "rb") as file:  # noqa: PTH123 - quicker
        while chunk := file.read(_CHUNK_BYTES):
            found.update(chunk)
    return f"{status.st_mode} {found.hexdigest()}"
