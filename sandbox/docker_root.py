"""The machine's own files in a Docker container: its system folders, bound read-only over a root without any.

For what runs under the user's own interpreter, which needs the libraries that it was built with.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.types import Bind

if TYPE_CHECKING:
    from afterburner.sandbox.docker_daemon import DockerDaemon

_LINKED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime")
_FILES = {
    "etc/passwd": b"nobody:x:65534:65534:nobody:/tmp:/bin/false\n",
    "etc/group": b"nogroup:x:65534:\n",
}


def system_binds() -> tuple[Bind, ...]:
    """The system's programs and libraries; of `/etc` only what the dynamic linker and the clock read."""
    folders = [Path("/usr"), *(path for path in _roots() if path.is_dir() and not path.is_symlink())]
    files = [path for path in (Path("/etc", name) for name in _ETC) if path.exists()]
    return tuple(Bind(str(path.resolve()), str(path)) for path in (*folders, *files))


def provide_root(daemon: DockerDaemon) -> str:
    """The name of the image for them, which the daemon has afterwards: a few links and two files, a few KiB.

    Raises:
        SandboxInternalError: the daemon does not take it.
    """
    archive = _archive()
    name = f"afterburner-root:{hashlib.sha256(archive).hexdigest()[:12]}"
    if not daemon.has_image(name):
        with tempfile.NamedTemporaryFile() as file:
            file.write(archive)
            file.flush()
            daemon.add_image(name, Path(file.name))
    return name


def open_up(path: Path) -> None:
    """Lets everybody read a file, or a tree; links are left alone, and lead to nothing that is not shown."""
    path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            inner = Path(folder, name)
            if not inner.is_symlink():
                inner.chmod(inner.stat().st_mode | (0o755 if inner.is_dir() else 0o444))


def check_openness(path: Path) -> None:
    """Returns if everybody may read a file or list a folder, or there is none.

    Raises:
        UsageError: only some may.
    """
    if not path.exists():
        return
    letters, bits = ("rx", 0o005) if path.is_dir() else ("r", 0o004)
    if bits & ~path.stat().st_mode:
        raise UsageError(
            f"A program in a Docker container runs as an unprivileged user, and {path} cannot be read by others. "
            f"`chmod o+{letters} {path}`, or use the backend 'bubblewrap'."
        )


def _roots() -> list[Path]:
    return [Path("/", name) for name in _LINKED]


def _archive() -> bytes:
    """The same bytes for the same links."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for path in _roots():
            if path.is_symlink():
                link = tarfile.TarInfo(path.name)
                link.type, link.linkname = tarfile.SYMTYPE, str(path.readlink())
                archive.addfile(link)
        for name, text in _FILES.items():
            file = tarfile.TarInfo(name)
            file.size, file.mode = len(text), 0o644
            archive.addfile(file, io.BytesIO(text))
    return data.getvalue()
