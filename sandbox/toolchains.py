"""What compiles and runs a language: found on this machine, or in an image.

A container shows the system's folders. What is installed elsewhere, by a version manager in the user's home for
example, is asked where it lies, and shown in addition: that folder alone, and never a home folder.
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
from afterburner.sandbox.installations import own_environment, shared_root
from afterburner.sandbox.languages import find_language
from afterburner.sandbox.types import Bind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from afterburner.sandbox.languages import Language

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_SHOWN = Path("/usr")  # every container shows it whole
_ASKING_TIMEOUT_S = 30.0  # a busy machine: a Java that was never started takes a second
# Version managers find by these what they stand for. Nothing else of the user's environment reaches a toolchain.
_PASSED_ON = ("HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_HOME", "RBENV_ROOT", "NODENV_ROOT", "ASDF_DATA_DIR")
_ANSWER = re.compile(r"\s*(?:java\.home = )?(/.*\S)\s*")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A language's programs inside a container.

    Attributes:
        language: its name.
        version: what the toolchain says of itself, for reports.
        path: where its programs are, as in PATH.
        binds: what a container has to show beyond the system's folders.
        environment: variables of program and compiler.
        image: the Docker image that it is in; None: it is installed here.
    """

    language: str
    version: str
    path: str
    binds: tuple[Bind, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None


def find_toolchain(language: Language, *, search_path: str | None = None) -> Toolchain:
    """The toolchain that is installed on this machine; it is asked once in the life of this process.

    Args:
        language: an entry of the table.
        search_path: where to look for its programs, as in PATH; None: PATH, and for Python the one we run under.

    Raises:
        ToolchainMissingError: a program is not there; the message names it, and the Debian package.
        SandboxUnavailableError: it cannot be shown in a container.
    """
    if language.name == "python" and search_path is None:
        return _own_python()
    return _installed(language.name, os.environ.get("PATH", SYSTEM_PATH) if search_path is None else search_path)


@cache
def _own_python() -> Toolchain:
    environment = own_environment()
    version = _ask((environment.executable, "--version"), SYSTEM_PATH)[0]
    path = f"{Path(environment.executable).parent}:{SYSTEM_PATH}"
    return Toolchain("python", version, path, environment.binds, find_language("python").environment)


@cache
def _installed(name: str, search_path: str) -> Toolchain:
    language = find_language(name)
    # A relative folder would offer what lies in the current one, which may be somebody else's project.
    search_path = os.pathsep.join(folder for folder in search_path.split(os.pathsep) if Path(folder).is_absolute())
    found = [_locate(program, language, search_path) for program in language.programs]
    home = found[0].resolve().parent.parent
    if language.home is not None:
        answers = _ask((str(found[0]), *language.home[1:]), search_path)
        home = next((Path(match[1]).resolve() for match in map(_ANSWER.fullmatch, answers) if match), home)
    if not (home / "bin" / language.programs[0]).exists():
        raise SandboxUnavailableError(
            f"{found[0]} says that it is installed in {home}, but there is no bin/{language.programs[0]}. "
            f"Install {language.name} again: {_how_to_install(language)}"
        )
    return Toolchain(
        name,
        version=_ask((str(found[0]), *language.probe[1:]), search_path)[0],
        path=f"{home / 'bin'}:{SYSTEM_PATH}",
        binds=tuple(_binds(home, language)),
        environment=language.environment,
    )


def _how_to_install(language: Language) -> str:
    return f"apt-get install {' '.join(language.packages)}"


def _locate(program: str, language: Language, search_path: str) -> Path:
    found = shutil.which(program, path=search_path)
    if found is None:
        raise ToolchainMissingError(
            f"{language.name} needs the program {program}, which is not on the search path. Install it: "
            f"{_how_to_install(language)}"
        )
    return Path(found)


def _ask(command: Sequence[str], search_path: str) -> list[str]:
    """The lines that a toolchain answers, on stdout first.

    It is asked in `/`: in the folder of a project, a version manager would follow the project's files.
    """
    variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    variables |= {"PATH": search_path, "LANG": "C.UTF-8"}
    complaint = f"The toolchain does not work: `{' '.join(command)}`"
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_ASKING_TIMEOUT_S, cwd="/",
            env=variables,
        )  # fmt: skip
    except OSError as error:
        raise SandboxUnavailableError(f"{complaint} does not start: {error.strerror}. Install it again.") from error
    except subprocess.TimeoutExpired as error:
        raise SandboxUnavailableError(f"{complaint} takes more than {_ASKING_TIMEOUT_S:.0f} s.") from error
    said = (done.stdout + b"\n" + done.stderr).decode(errors="replace")
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if done.returncode != 0 or not lines:
        told = f"said: {lines[-1][:300].rstrip('.')}" if lines else "said nothing"
        raise SandboxUnavailableError(
            f"{complaint} left with {done.returncode} and {told}. Do what it says, or install it again."
        )
    return lines


# What of the disk it needs.


def _binds(home: Path, language: Language) -> Iterator[Bind]:
    """The installation, if it is not shown anyway, and what links in it lead to."""
    if home == _SHOWN:
        return
    root = shared_root(home / "bin" / language.programs[0])
    if root is not None:
        yield Bind(str(root), str(root))
        return
    if _is_private(home):
        raise SandboxUnavailableError(
            f"{language.name} is installed in {home} itself, which holds private files, so no sandbox must show "
            f"it. Install it in a folder of its own, or for all users: {_how_to_install(language)}"
        )
    parts = [part for pattern in language.parts for part in sorted(home.glob(pattern))]
    shown = {path: None for path in (*parts, *_linked_to(parts)) if not path.is_relative_to(_SHOWN)}
    for path in shown:
        yield Bind(str(path), str(path))


def _is_private(folder: Path) -> bool:
    """Whether it is a home folder, or holds one."""
    try:
        home = Path.home().resolve()
    except RuntimeError:  # none is known
        return folder == folder.parent
    return home.is_relative_to(folder) or folder.parent == Path("/home")


def _linked_to(parts: Iterable[Path]) -> Iterator[Path]:
    """What links in an installation lead to outside of it: a Debian Java keeps its settings in `/etc`.

    Several files in one folder of `/etc` are shown as that folder.
    """
    inside = tuple(parts)
    groups: dict[tuple[str, ...], list[str]] = {}
    for link in _links(inside):
        target = link.resolve()
        if target.exists() and not any(target.is_relative_to(part) for part in (*inside, _SHOWN)):
            groups.setdefault(target.parts[:3], []).append(str(target))
    return (Path(os.path.commonpath(targets)) for targets in groups.values())


def _links(parts: Iterable[Path]) -> Iterator[Path]:
    for part in parts:
        if part.is_symlink():
            yield part
        for folder, folders, files in os.walk(part):
            for name in (*folders, *files):
                place = Path(folder, name)
                if place.is_symlink():
                    yield place
