"""Pythons as they lie on the disk: what belongs to one, and what of it a sandbox has to show.

Nothing is started to find out: a project's `.venv` may come with the project, so nothing in it is run outside a
sandbox.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.types import Bind, PythonEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN_SITE = "/afterburner/site"  # packages of ours that `own_package_binds` shows, to be put on `sys.path`
_LIBRARY_FOLDERS = ("lib", "lib64")
_VERSIONED = re.compile(r"python(\d)\.(\d+)(t?)")


@dataclass(frozen=True, slots=True)
class Installation:
    """A Python as it lies on the disk: the binary, the folder above its `bin`, its standard library."""

    executable: Path
    prefix: Path
    library: Path
    version: tuple[int, int]


@cache
def own_environment() -> PythonEnvironment:
    """The interpreter that we run under ourselves, with its standard library and its packages."""
    base, _ = take_apart(Path(sys.executable))
    packages = tuple(str(folder) for folder in site_packages(base, None))
    return PythonEnvironment(str(base.executable), base.version, tuple(base_binds(base)), site_packages=packages)


def has_package(environment: PythonEnvironment, name: str) -> bool:
    """Whether a package or module can be imported there by this top-level name; nothing is imported to find out."""
    if environment.image is not None:
        return name in environment.image.modules
    for folder in map(Path, environment.site_packages):
        if (folder / name).is_dir() or (folder / f"{name}.py").is_file() or any(folder.glob(f"{name}.*.so")):
            return True
    return False


def own_package_binds(*names: str) -> tuple[Bind, ...]:
    """Shows packages that we have installed ourselves in the folder `OWN_SITE` of a sandbox.

    They serve an interpreter of our own version (`sys.version_info[:2]`) only, since some have compiled parts.

    Raises:
        UsageError: a package is not installed.
    """
    binds: dict[str, Bind] = {}
    for name in names:
        try:
            files = metadata.distribution(name).files or []
        except metadata.PackageNotFoundError:
            raise UsageError(
                f"The package {name} is missing. Install it: {sys.executable} -m pip install {name}"
            ) from None
        for file in files:
            top = file.parts[0]
            if top != os.pardir and top not in {"__pycache__", os.sep} and top not in binds:
                place = Path(str(file.locate())).parents[len(file.parts) - 1] / top
                if place.exists():
                    binds[top] = Bind(str(place), f"{OWN_SITE}/{top}")
    return tuple(binds.values())


def take_apart(executable: Path) -> tuple[Installation, Path | None]:
    """The installation behind an executable, and the virtual environment that it belongs to, if any.

    Raises:
        UsageError: there is no standard library where a Python of this name would have it.
    """
    environment = executable.parent.parent
    if not (environment / "pyvenv.cfg").is_file():
        found = _installation(executable.resolve())
        if found is None:
            raise UsageError(_no_python(executable))
        return found, None
    settings = _settings(environment)
    home = settings.get("home", "")
    real = executable.resolve()
    for candidate in (real, *(Path(home, name) for name in (real.name, executable.name, "python3") if home)):
        found = _installation(candidate.resolve())
        if found is not None and not found.executable.is_relative_to(environment):
            return found, environment
    raise UsageError(
        f"The environment {environment} belongs to a Python that is not there any more ({home or 'it does not say'}). "
        "Create it again, or give another Python with --python."
    )


def _no_python(executable: Path) -> str:
    return f"{executable} is not CPython, or its standard library is not beside it. Give another one with --python."


def _installation(real: Path) -> Installation | None:
    """A real binary's installation: the standard library lies beside it as `lib/pythonX.Y`."""
    if not (real.name.startswith("python") and real.is_file() and os.access(real, os.X_OK)):
        return None
    prefix = real.parent.parent
    named = _VERSIONED.fullmatch(real.name)
    for folder in _LIBRARY_FOLDERS:
        for library in sorted((prefix / folder).glob("python3.*")):
            match = _VERSIONED.fullmatch(library.name)
            if match is None or not (library / "os.py").is_file():
                continue
            if named is None or named.groups() == match.groups():
                return Installation(real, prefix, library, (int(match[1]), int(match[2])))
    return None


def _settings(environment: Path) -> dict[str, str]:
    """The lines of a `pyvenv.cfg`, with keys in lower case."""
    try:
        text = (environment / "pyvenv.cfg").read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"{environment}/pyvenv.cfg cannot be read: {error.strerror}.") from None
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def base_binds(base: Installation) -> Iterator[Bind]:
    """The installation: its `bin` and its libraries. The container shows `/usr` as it is.

    It may have come with the project, too, so a link of it that leads out shows nothing.
    """
    if base.prefix.is_relative_to("/usr"):
        return
    shared = shared_root(base.executable)
    if shared is not None:
        yield Bind(str(shared), str(shared))
    elif _is_private(base.prefix):  # the home folder as prefix: then no folder of it as a whole
        libraries = [path for folder in _LIBRARY_FOLDERS for path in (base.prefix / folder).glob("libpython*")]
        for path in (base.executable, base.library, *libraries):
            yield Bind(str(path), str(path))
    else:
        for name in ("bin", *_LIBRARY_FOLDERS):
            folder = base.prefix / name
            if folder.is_dir() and folder.resolve().is_relative_to(base.prefix):
                yield Bind(str(folder), str(folder))


def shared_root(executable: Path) -> Path | None:
    """The root of a package manager that links between its packages, so that one of them alone would not run."""
    if executable.is_relative_to("/nix/store"):
        return Path("/nix/store")
    if "Cellar" in executable.parts:
        return Path(*executable.parts[: executable.parts.index("Cellar")])
    return None


def _is_private(folder: Path) -> bool:
    try:
        return Path.home().resolve().is_relative_to(folder)
    except RuntimeError:  # no home is known
        return False


def environment_binds(environment: Path) -> Iterator[Bind]:
    """A virtual environment: what it needs to be one, and its packages.

    It may have come with the project, so a link of it that leads out, to the user's keys for example, shows nothing.
    """
    for name in ("pyvenv.cfg", "bin", *_LIBRARY_FOLDERS):
        place = environment / name
        if place.exists() and place.resolve().is_relative_to(environment.resolve()):
            yield Bind(str(place), str(place))


def site_packages(base: Installation, environment: Path | None) -> Iterator[Path]:
    """The folders that packages are installed in, nearest first; only those that exist."""
    name = base.library.name
    candidates: list[Path] = []
    if environment is not None:
        candidates += [environment / folder / name / "site-packages" for folder in _LIBRARY_FOLDERS]
    if environment is None or _settings(environment).get("include-system-site-packages", "").lower() == "true":
        candidates += [base.prefix / folder / name / "site-packages" for folder in _LIBRARY_FOLDERS]
        if base.prefix == Path("/usr"):
            candidates += [Path("/usr/local/lib", name, "dist-packages"), Path("/usr/lib/python3/dist-packages")]
    seen: set[Path] = set()
    for candidate in candidates:
        if candidate.is_dir() and candidate.resolve() not in seen:
            seen.add(candidate.resolve())
            yield candidate
