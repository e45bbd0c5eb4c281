"""Finds the meter: the one from the wheel, or one compiled once with any available C compiler and cached."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from afterburner.sandbox.errors import SandboxUnavailableError
from afterburner.sandbox.folders import cache_folder

_SOURCES = Path(__file__).parent / "meter"
_BUILT = _SOURCES / "built"  # only in a wheel; `scripts/wheel_backend.py` makes it
_FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra")  # a test adds -Werror; a newer compiler's taste must not stop a user
_MACHINES = frozenset({"x86_64", "aarch64"})  # the system call filter knows the numbers of these
_REINSTALL = "Reinstall the package from the same source (pip: `--force-reinstall`; pipx and uv tool: `--force`)."
_FULL = re.compile(r"No space left|[Dd]isk quota")  # as compilers and linkers say it
_COMPILE_TIMEOUT_S = 600.0  # ziglang builds its C library, too, which takes a minute


def meter_path() -> Path:
    """The meter for this machine: of the wheel, from the cache, or compiled now (about a second).

    A wheel brings one for each machine. A checkout brings none; its own lies in
    `$XDG_CACHE_HOME/afterburner-agent/meter-<hash>`. The hash covers source, flags and machine, so that a new version
    compiles anew. Two processes may do this at once: each writes its own file and renames it.

    Raises:
        SandboxUnavailableError: the wheel's meter was changed, there is no C compiler, or the machine is not supported.
    """
    machine = _machine()
    if machine not in _MACHINES:
        raise SandboxUnavailableError(
            f"The sandbox runs on {' and '.join(sorted(_MACHINES))}, and this machine is {machine!r}. "
            "Use a machine or virtual machine with one of these architectures."
        )
    if _BUILT.is_dir():
        return _from_wheel(machine)
    path = cache_folder() / f"meter-{_key(machine)}"
    if not os.access(path, os.X_OK):
        _compile(path)
    return path


def comes_with_wheel() -> bool:
    """Whether the installation brought its meter, so that no compiler is needed."""
    return _BUILT.is_dir()


def _from_wheel(machine: str) -> Path:
    """The wheel's meter, as it was when the wheel was built."""
    path = _BUILT / f"meter-{machine}"
    try:
        expected = json.loads((_BUILT / "sha256.json").read_text(encoding="utf-8"))[path.name]
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise SandboxUnavailableError(f"The meter {path} cannot be read: {error!r}. {_REINSTALL}") from error
    if found != expected:
        raise SandboxUnavailableError(f"The meter {path} is not the one that the wheel brought. {_REINSTALL}")
    if not os.access(path, os.X_OK):
        raise SandboxUnavailableError(
            f"The meter {path} is not executable. Its file system may be mounted noexec; if not: {_REINSTALL}"
        )
    return path


def _sources() -> list[Path]:
    return sorted(_SOURCES.glob("*.[ch]"))


def _key(machine: str) -> str:
    digest = hashlib.sha256("\0".join((machine, *_FLAGS)).encode())
    for source in _sources():
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()


def _machine() -> str:
    """The machine in Linux's words: containers run Linux wherever they run."""
    return {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())


def _compilers() -> list[tuple[str, ...]]:
    """The commands to try, best first. Elsewhere than on Linux, only ziglang's compiles for it."""
    commands: list[tuple[str, ...]] = []
    if sys.platform == "linux":
        commands = [tuple(shlex.split(os.environ.get("CC", ""))), ("cc",), ("gcc",), ("clang",)]
    found = [command for command in commands if command and shutil.which(command[0])]
    if importlib.util.find_spec("ziglang") is not None:
        found.append((sys.executable, "-m", "ziglang", "cc", "-target", f"{_machine()}-linux-musl"))
    return found


def _compile(path: Path) -> None:
    sources = [str(source) for source in _sources() if source.suffix == ".c"]
    complaints: list[str] = []
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix="meter-build-", dir=path.parent)
    except OSError as error:
        raise SandboxUnavailableError(
            f"The meter cannot be compiled into {path.parent}: {error.strerror}. "
            "Point XDG_CACHE_HOME to a folder that can be written."
        ) from error
    with folder as build:
        fresh = Path(build) / "meter"
        for compiler in _compilers():
            # Static, it starts faster and needs nothing of the container; some systems have no static libc.
            for linking in (("-static",), ()):
                complaint = _try([*compiler, *_FLAGS, *linking, "-o", str(fresh), *sources], build)
                if complaint is None:
                    fresh.chmod(0o755)
                    fresh.replace(path)
                    return
                complaints.append(complaint)
    if any(_FULL.search(complaint) for complaint in complaints):
        raise SandboxUnavailableError(
            f"The meter cannot be compiled into {path.parent}: the disk is full. "
            "Free some space, or set XDG_CACHE_HOME to a folder on another disk."
        )
    raise SandboxUnavailableError(_explain(complaints))


def _try(command: list[str], build: str) -> str | None:
    """What the compiler complains of; None if it did its work."""
    # ziglang keeps its own cache, by default in the home folder.
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": f"{build}/zig", "ZIG_LOCAL_CACHE_DIR": f"{build}/zig"}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_COMPILE_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{shlex.join(command[:1])}: {error}"
    if done.returncode == 0:
        return None
    return f"{shlex.join(command[:1])}: {done.stderr.strip()[-500:]}"


def _explain(complaints: list[str]) -> str:
    advice = (
        "Install one: `apt-get install gcc libc6-dev` (Debian, Ubuntu), `dnf install gcc` (Fedora), "
        "`pacman -S gcc` (Arch), `apk add gcc musl-dev linux-headers` (Alpine), or without root "
        f"`{sys.executable} -m pip install ziglang`."
    )
    if not complaints:
        return f"The sandbox's meter has to be compiled once, and there is no C compiler here. {advice}"
    return f"The sandbox's meter could not be compiled: {complaints[-1]}\n{advice}"
