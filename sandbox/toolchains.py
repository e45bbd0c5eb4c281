"""What compiles and runs a language: found on this machine, or in an image.

Here the toolchain that the user's own PATH leads to is used, wherever it lies: rustup, nvm, SDKMAN and their like keep
theirs in the home folder. It is asked where its own folder is, and that folder alone is shown to programs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import SandboxUnavailableError, ToolchainMissingError
from afterburner.sandbox.languages import find_language
from afterburner.sandbox.types import Bind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.sandbox.languages import Language

_SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
_SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib64")  # every container shows them
_PROBE_TIMEOUT_S = 30.0
# What version managers find their things by. Nothing else of the environment reaches what is started here.
_HANDED_ON = ("HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN", "JAVA_HOME", "GOROOT")
# Each makes a toolchain tell the folder above its `bin`, or a file in there.
_WHERE = {
    "python": ("python3", "-I", "-S", "-c", "import sys; print(sys.base_prefix)"),
    "java": ("javac", "-J-XshowSettings:properties", "-version"),
    "javascript": ("node", "--print", "process.execPath"),
    "go": ("go", "env", "GOROOT"),
    "ruby": ("ruby", "--disable-gems", "-rrbconfig", "-e", "puts RbConfig::CONFIG['prefix']"),
    "rust": ("rustc", "--print", "sysroot"),
}


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A language's programs inside a container.

    Attributes:
        language: its name in the table.
        version: what the toolchain says of itself, in one line.
        path: the folders that programs are looked for in, joined by colons.
        binds: what has to be shown besides the system's own folders.
        environment: for the compiler and for programs.
        image: where it is in; None: this machine.
    """

    language: str
    version: str
    path: str
    binds: tuple[Bind, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None


def find_toolchain(language: Language, *, search_path: str | None = None) -> Toolchain:
    """The toolchain of a language that is installed on this machine; looked for once in the life of the process.

    Args:
        language: an entry of the table.
        search_path: where to look, folders joined by colons; None: this process's PATH, and the system's folders.

    Raises:
        ToolchainMissingError: one of its programs is not there; the message names the package that brings it.
        SandboxUnavailableError: it is there, and does not work, or lies where it cannot be shown by itself.
    """
    if search_path is None:
        search_path = ":".join((os.environ.get("PATH", ""), *_SYSTEM_PATH))
    return _find(language.name, search_path)


@cache
def _find(name: str, search_path: str) -> Toolchain:
    language = find_language(name)
    # A relative folder would let whatever lies in the working directory be started.
    folders = [folder for folder in search_path.split(":") if folder.startswith("/")]
    found = {program: _locate(program, language, folders) for program in language.programs}
    said = _ask(language, (str(found[language.probe[0]]), *language.probe[1:]), folders)
    home = _home(language, found, folders)
    for program in language.programs:
        if not (home / "bin" / program).exists() and not any(Path(each, program).exists() for each in _SYSTEM_PATH):
            raise _missing(program, language, f"in {home}/bin or the system's folders")
    return Toolchain(
        name,
        version=next((line.strip() for line in said.splitlines() if line.strip()), name),
        path=":".join(dict.fromkeys((str(home / "bin"), *_SYSTEM_PATH))),
        binds=_binds(language, home),
        environment=language.environment,
    )


def _locate(program: str, language: Language, folders: list[str]) -> Path:
    found = shutil.which(program, path=":".join(folders)) if folders else None
    if found is None:
        raise _missing(program, language, "on the PATH")
    return Path(found)


def _missing(program: str, language: Language, where: str) -> ToolchainMissingError:
    return ToolchainMissingError(
        f"Programs in {language.name} cannot be run here: there is no `{program}` {where}. "
        f"Install it: `apt-get install {' '.join(language.packages)}` (Debian, Ubuntu)."
    )


def _ask(language: Language, command: tuple[str, ...], folders: list[str]) -> str:
    """What a program of the toolchain prints; it runs outside of any sandbox, as whatever is on the PATH does."""
    variables = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
    variables |= {"PATH": ":".join((*folders, *_SYSTEM_PATH)), "LC_ALL": "C", "GOTOOLCHAIN": "local", "GOENV": "off"}
    try:
        done = subprocess.run(
            command,
            env=variables,
            cwd="/",  # a project's folder may name another version, to be downloaded
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PROBE_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _broken(language, command, str(error)) from error
    said = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        raise _broken(language, command, said.strip()[-500:] or f"exit code {done.returncode}")
    return said


def _broken(language: Language, command: tuple[str, ...], reason: str) -> SandboxUnavailableError:
    return SandboxUnavailableError(
        f"The toolchain for {language.name} does not work: `{' '.join(command)}` failed: {reason}. "
        f"Repair it, or install the system's: `apt-get install {' '.join(language.packages)}` (Debian, Ubuntu)."
    )


def _home(language: Language, found: Mapping[str, Path], folders: list[str]) -> Path:
    """The folder above the `bin` that the toolchain's programs really lie in."""
    where = _WHERE.get(language.name)
    if where is None:  # it has no launchers in between
        return found[language.probe[0]].resolve().parent.parent
    command = (str(found[where[0]]), *where[1:])
    said = _ask(language, command, folders).strip()
    if language.name == "java":
        said = "".join(re.findall(r"java\.home = (.*)", said)[:1])
    home = Path(said.splitlines()[-1] if said else "")
    if home.is_file():
        home = home.parent.parent
    if not home.is_absolute() or not (home / "bin").is_dir():
        raise _broken(language, command, f"it names no folder of its own: {said[-200:]!r}")
    return home


def _binds(language: Language, home: Path) -> tuple[Bind, ...]:
    real = home.resolve()
    linked = _linked_settings(home) if language.name == "java" else ()
    binds = [Bind(str(folder), str(folder)) for folder in linked]
    if not any(real.is_relative_to(folder) for folder in _SYSTEM_FOLDERS):
        user = Path.home().resolve()
        if user.is_relative_to(real) or real == user / ".local":
            raise SandboxUnavailableError(
                f"The toolchain for {language.name} lies right in {real}, which holds other things that programs must "
                f"not see. Install it in a folder of its own, or the system's: `apt-get install "
                f"{' '.join(language.packages)}` (Debian, Ubuntu)."
            )
        binds += [Bind(str(real), str(destination)) for destination in dict.fromkeys((home, real))]
    return tuple(binds)


def _linked_settings(home: Path) -> list[Path]:
    """The folders `/etc/java…` that a Java lies partly in, as Linux distributions have it."""
    links = (path for folder in ("conf", "lib") for path in (home / folder).rglob("*") if path.is_symlink())
    targets = {Path(os.path.realpath(link)) for link in links}
    folders = {Path(*path.parts[:3]) for path in targets if path.parts[1:2] == ("etc",) and len(path.parts) > 3}
    return sorted(folder for folder in folders if folder.name.startswith("java") and folder.is_dir())
