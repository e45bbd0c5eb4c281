"""The machine's own programs in a Docker container: its system folders, bound read-only over a root without any.

For what runs under the user's own interpreter, which needs the libraries that it was built with.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

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
