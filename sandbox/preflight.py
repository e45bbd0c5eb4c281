"""Finds out whether this machine offers a real sandbox, and says what to do if it does not."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from afterburner.sandbox.errors import SandboxUnavailableError

_OLDEST = (0, 8)  # the first bubblewrap with --disable-userns
_PROBE_TIMEOUT_S = 20.0
_PROBES = 5
_GONE = "Unable to apply mount flags"  # of a mount that went away meanwhile, as when a container of Docker's ends
_KERNEL_SETTINGS = Path("/proc/sys")
_CONTAINER_MARKS = (Path("/.dockerenv"), Path("/run/.containerenv"))
_INSTALL = {
    "apt-get": "apt-get install bubblewrap",
    "dnf": "dnf install bubblewrap",
    "pacman": "pacman -S bubblewrap",
    "apk": "apk add bubblewrap",
    "zypper": "zypper install bubblewrap",
}
_NEWER = (
    "Upgrade it (Debian 12, Ubuntu 24.04 and Fedora 38 bring a new enough one), or build one from "
    "https://github.com/containers/bubblewrap and put it first on the PATH."
)


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """A bubblewrap that was found and tried."""

    path: str
    version: str


def find_bubblewrap() -> Bubblewrap:
    """The bubblewrap on the PATH, after a container was really started with it.

    Raises:
        SandboxUnavailableError: there is none, or it does not work; the message says what to install or switch on.
    """
    _check_system()
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxUnavailableError(
            f"The sandbox needs bubblewrap, and there is none on the PATH. {_how_to_install()}"
        )
    version = _version(path)
    _probe(path)
    return Bubblewrap(path, version)


def _check_system() -> None:
    if sys.platform == "darwin":
        raise SandboxUnavailableError(
            "macOS has no bubblewrap. Use Docker (backend 'docker') for programs that bring their own image, or run "
            "this inside a Linux virtual machine (Lima, UTM, Multipass)."
        )
    if sys.platform != "linux":
        raise SandboxUnavailableError(
            f"The sandbox needs Linux, and this is {sys.platform}. On Windows, run this inside WSL 2."
        )
    if platform.release().lower().endswith("-microsoft"):  # WSL 2 has "-microsoft-standard-WSL2"
        raise SandboxUnavailableError(
            "WSL 1 has no user namespaces, which the sandbox needs. "
            "Change to WSL 2: `wsl --set-version <distribution> 2`."
        )


def _how_to_install() -> str:
    for manager, command in _INSTALL.items():
        if shutil.which(manager):
            return f"Install it: `{command}` (as root)."
    return f"Install it as root, with one of: {', '.join(f'`{command}`' for command in _INSTALL.values())}."


def _version(path: str) -> str:
    answer = _run([path, "--version"])
    numbers = re.search(r"(\d+)\.(\d+)(?:\.\d+)?", answer.stdout)
    if answer.returncode != 0 or numbers is None:
        raise SandboxUnavailableError(
            f"{path} does not report its version (it said {_last_line(answer)!r}). "
            f"Is it bubblewrap? {_how_to_install()}"
        )
    if (int(numbers[1]), int(numbers[2])) < _OLDEST and "--disable-userns" not in _run([path, "--help"]).stdout:
        raise SandboxUnavailableError(
            f"{path} is bubblewrap {numbers[0]}, and the sandbox needs 0.8 or newer (--disable-userns). {_NEWER}"
        )
    return numbers[0]


def _probe(path: str) -> None:
    """Starts the smallest container that uses everything which systems are known to forbid."""
    probe = [path, "--unshare-all", "--unshare-user", "--disable-userns", "--uid", "65534", "--gid", "65534"]
    probe += ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--cap-drop", "ALL", path, "--version"]
    for _ in range(_PROBES):
        answer = _run(probe)
        if answer.returncode == 0 or _GONE not in answer.stderr:
            break
    if answer.returncode != 0:
        raise SandboxUnavailableError(
            f"bubblewrap is installed, but cannot start a container here ({_last_line(answer)}). {_why_not(answer)}"
        )


def _why_not(answer: subprocess.CompletedProcess[str]) -> str:
    """What most likely forbids namespaces, from what bubblewrap and the kernel tell."""
    if _kernel("user/max_user_namespaces") == "0":
        return "User namespaces are switched off. As root: `sysctl -w user.max_user_namespaces=15000`."
    if _kernel("kernel/unprivileged_userns_clone") == "0":
        return "Unprivileged user namespaces are switched off. As root: `sysctl -w kernel.unprivileged_userns_clone=1`."
    if _kernel("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "AppArmor restricts user namespaces (Ubuntu 23.10 and newer). As root, either give bubblewrap its "
            "profile: `apt-get install apparmor-profiles && "
            "ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && "
            "apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict`, or lift the restriction: "
            "`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`."
        )
    if os.geteuid() == 0 and "setting up uid map: Operation not permitted" in answer.stderr:
        return (
            "Root needs the capability SETFCAP to create a user namespace. Run this as another user, or start the "
            "container with `--cap-add SETFCAP`."
        )
    if any(mark.exists() for mark in _CONTAINER_MARKS):
        return (
            "This is a container that forbids namespaces. Start it with `docker run --security-opt seccomp=unconfined "
            "--security-opt apparmor=unconfined --security-opt systempaths=unconfined` (Podman: `--security-opt "
            "seccomp=unconfined --security-opt unmask=ALL`), or run this outside."
        )
    return "The kernel or a security module forbids user namespaces: try `unshare --user --map-root-user true`."


def _kernel(name: str) -> str:
    try:
        return (_KERNEL_SETTINGS / name).read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PROBE_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def _last_line(answer: subprocess.CompletedProcess[str]) -> str:
    said = (answer.stderr.strip() or answer.stdout.strip()).splitlines()
    return said[-1][:300] if said else f"exit code {answer.returncode}"
