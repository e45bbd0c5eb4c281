"""Finds the Python that the user's code runs under, and what of the disk it needs.

What can be told from names and files on the disk is told so: a project's `.venv` may come with the project, so
nothing in it is started on the host. Whether it really is a Python is asked inside the sandbox.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.environment import PythonEnvironment
from afterburner.sandbox.errors import SandboxInternalError, UsageError
from afterburner.sandbox.judge import scrub
from afterburner.sandbox.types import Bind, Command, ContainerSpec, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.sandbox.project import StagedProject
    from afterburner.sandbox.sandbox import Sandbox

OWN_SITE = "/afterburner/site"  # packages of ours that `own_package_binds` shows, to be put on `sys.path`
OLDEST = (3, 9)
_LIBRARY_FOLDERS = ("lib", "lib64")
_VERSIONED = re.compile(r"python(\d)\.(\d+)(t?)")
_PROBE = "import json, sys; print(json.dumps([list(sys.version_info[:2]), sys.prefix, sys.implementation.name]))"
_PROBE_LIMITS = Limits(wall_time_s=20.0, cpu_time_s=20.0)
_ASKING_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Installation:
    """A Python as it lies on the disk: the binary, the folder above its `bin`, its standard library."""

    executable: Path
    prefix: Path
    library: Path
    version: tuple[int, int]


def find_interpreter(requested: str | None, project_root: Path) -> Path:
    """The Python to run the user's code under: as requested, the active or the project's environment, or ours.

    Args:
        requested: `--python`: a path, the folder of an environment, or a name on the search path.
        project_root: where to look for `.venv` and `venv`.

    Raises:
        UsageError: what was asked for, or `VIRTUAL_ENV` names, is no Python of 3.9 or newer.
    """
    if requested is not None:
        return _check(_locate(requested), f"--python {requested}", may_ask=True)
    active = os.environ.get("VIRTUAL_ENV")
    if active:
        return _check(Path(active, "bin", "python"), f"the active environment (VIRTUAL_ENV={active})", may_ask=False)
    for name in (".venv", "venv"):
        folder = project_root / name
        if (folder / "pyvenv.cfg").is_file():
            return _check(folder / "bin" / "python", f"the project's environment {folder}", may_ask=False)
    return Path(sys.executable)


def python_environment(
    sandbox: Sandbox,
    executable: Path,
    *,
    project: StagedProject | None = None,
    import_paths: Sequence[str] = (),
    working_directory: str | None = None,
) -> PythonEnvironment:
    """What a program under this interpreter needs to see. The interpreter is started once, inside the sandbox.

    Args:
        sandbox: where it is started.
        executable: from `find_interpreter`.
        project: the staged project; it gets mount points for an environment that lies in it.
        import_paths: folders that the program's modules are imported from.
        working_directory: where the program starts; the sandbox's `/tmp` if None.

    Raises:
        UsageError: it does not start in the sandbox, or is no CPython of 3.9 or newer.
    """
    executable = Path(os.path.abspath(executable))  # noqa: PTH100 - the links matter: they tell which environment it is
    base, environment = _take_apart(executable)
    binds = list(_base_binds(base))
    if environment is not None:
        binds += _environment_binds(environment)
        if not _is_visible(executable, binds):  # its link leads over a folder that we do not show
            executable = base.executable
    version = _ask_in_sandbox(sandbox, executable, tuple(binds))
    if project is not None:
        project.make_room(binds)
        binds += project.binds
    packages = tuple(str(folder) for folder in _site_packages(base, environment))
    if environment is not None and executable == base.executable:
        import_paths = (*import_paths, *packages[:1])
    return PythonEnvironment(
        str(executable),
        version,
        tuple(dict.fromkeys(binds)),
        tuple(import_paths),
        working_directory or "/tmp",  # noqa: S108 - the sandbox's own tmpfs
        packages,
    )


@cache
def own_environment() -> PythonEnvironment:
    """The interpreter that we run under ourselves, with its standard library and its packages."""
    base, _ = _take_apart(Path(sys.executable))
    packages = tuple(str(folder) for folder in _site_packages(base, None))
    return PythonEnvironment(str(base.executable), base.version, tuple(_base_binds(base)), site_packages=packages)


def has_package(environment: PythonEnvironment, name: str) -> bool:
    """Whether a package or module can be imported there by this top-level name; nothing is imported to find out."""
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


# Which file it is.


def _locate(requested: str) -> Path:
    path = Path(requested).expanduser()
    if path.is_dir():
        return path / "bin" / "python"
    if os.sep not in requested and not path.exists():
        found = shutil.which(requested)
        if found is None:
            raise UsageError(f"There is no {requested!r} on the search path. Give --python the path of a Python.")
        path = Path(found)
    return path.absolute()


def _check(executable: Path, what: str, *, may_ask: bool) -> Path:
    """The executable, if all that the disk tells of it is right.

    A launcher of a version manager (a script, or a link to the manager) is asked which Python it stands for, but
    only if the user named it.
    """
    if not executable.exists():
        raise UsageError(f"There is no Python at {executable}, which is {what}. Give the right one with --python.")
    try:
        base, _ = _take_apart(executable)
    except UsageError:
        asked = _ask_launcher(executable) if may_ask else None
        if asked is None:
            raise
        executable = asked
        base, _ = _take_apart(executable)
    if base.version < OLDEST:
        raise UsageError(
            f"{executable} is Python {base.version[0]}.{base.version[1]}. The sandbox needs {OLDEST[0]}.{OLDEST[1]} or "
            "newer; give another one with --python."
        )
    return executable


def _ask_launcher(executable: Path) -> Path | None:
    """What Python a launcher starts, in its own words."""
    command = [str(executable), "-I", "-S", "-c", "import sys; print(sys.executable)"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_ASKING_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    told = os.fsdecode(done.stdout.strip())
    return Path(told) if done.returncode == 0 and told.startswith("/") and Path(told) != executable else None


def _take_apart(executable: Path) -> tuple[Installation, Path | None]:
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
        "Make it anew, or give another Python with --python."
    )


def _no_python(executable: Path) -> str:
    return f"{executable} is no CPython, or its standard library is not beside it. Give another one with --python."


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


# What of the disk it needs.


def _base_binds(base: Installation) -> Iterator[Bind]:
    """The installation: its `bin` and its libraries. The container shows `/usr` as it is."""
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
            if folder.is_dir():
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


def _environment_binds(environment: Path) -> Iterator[Bind]:
    """A virtual environment: what it needs to be one, and its packages.

    It may have come with the project, so a link of it that leads out, to the user's keys for example, shows nothing.
    """
    for name in ("pyvenv.cfg", "bin", *_LIBRARY_FOLDERS):
        place = environment / name
        if place.exists() and place.resolve().is_relative_to(environment.resolve()):
            yield Bind(str(place), str(place))


def _is_visible(executable: Path, binds: Sequence[Bind]) -> bool:
    """Whether every link between an executable's name and the binary lies in what is bound."""
    shown = [Path("/usr"), *(Path(bind.destination) for bind in binds)]
    place = executable
    for _ in range(40):
        if not any(place.is_relative_to(folder) for folder in shown):
            return False
        if not place.is_symlink():
            return True
        place = Path(os.path.normpath(place.parent / place.readlink()))
    return False


def _site_packages(base: Installation, environment: Path | None) -> Iterator[Path]:
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


def _ask_in_sandbox(sandbox: Sandbox, executable: Path, binds: tuple[Bind, ...]) -> tuple[int, int]:
    """The version, from a start inside the sandbox.

    Raises:
        UsageError: it does not start there, or is no CPython that is new enough.
    """
    command = Command((str(executable), "-I", "-c", _PROBE))
    try:
        raw = sandbox.run_raw(ContainerSpec(binds), command, b"", _PROBE_LIMITS)
    except SandboxInternalError as error:
        raise UsageError(f"{executable} does not start in the sandbox: {error}") from error
    try:
        version, _, implementation = json.loads(raw.stdout[:10_000])
        major, minor = (int(part) for part in version)
    except (ValueError, TypeError, RecursionError):
        said = (scrub(raw.stderr[-500:]).strip() or "it said nothing").splitlines()[-1]
        raise UsageError(
            f"{executable} does not start in the sandbox: {said}. Give another one with --python."
        ) from None
    if implementation != "cpython" or (major, minor) < OLDEST:
        raise UsageError(
            f"{executable} is {str(implementation)[:40]} {major}.{minor}; the sandbox needs CPython "
            f"{OLDEST[0]}.{OLDEST[1]} or newer. Give another one with --python."
        )
    return major, minor
