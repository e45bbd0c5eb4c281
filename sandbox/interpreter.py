"""Finds the Python that the user's code runs under, and what of the disk it needs.

What can be told from names and files on the disk is told so: a project's `.venv` may come with the project, so
nothing in it is started on the host. Whether it really is a Python is asked inside the sandbox.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.container_paths import SCRATCH
from afterburner.sandbox.errors import SandboxInternalError, UsageError
from afterburner.sandbox.folders import absolute_path
from afterburner.sandbox.installations import base_binds, environment_binds, site_packages, take_apart
from afterburner.sandbox.scrubbing import scrub_bytes
from afterburner.sandbox.types import Bind, Command, ContainerSpec, Limits, PythonEnvironment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox.project import StagedProject
    from afterburner.sandbox.sandbox import Sandbox

OLDEST = (3, 9)
_PROBE = "import json, sys; print(json.dumps([list(sys.version_info[:2]), sys.prefix, sys.implementation.name]))"
_PROBE_LIMITS = Limits(wall_time_s=20.0, cpu_time_s=20.0)
_ASKING_TIMEOUT_S = 20.0


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
        UsageError: it does not start in the sandbox, or is not CPython of 3.9 or newer.
    """
    executable = absolute_path(executable)  # with its links: they tell which environment it is
    base, environment = take_apart(executable)
    binds = list(base_binds(base))
    if environment is not None:
        binds += environment_binds(environment)
        if not _is_visible(executable, binds):  # its link leads over a folder that we do not show
            executable = base.executable
    version = _ask_in_sandbox(sandbox, executable, tuple(binds))
    if project is not None:
        project.make_room(binds)
        binds += project.binds
    packages = tuple(str(folder) for folder in site_packages(base, environment))
    if environment is not None and executable == base.executable:
        import_paths = (*import_paths, *packages[:1])
    return PythonEnvironment(
        str(executable),
        version,
        tuple(dict.fromkeys(binds)),
        tuple(import_paths),
        working_directory or SCRATCH,
        packages,
    )


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
        base, _ = take_apart(executable)
    except UsageError:
        asked = _ask_launcher(executable) if may_ask else None
        if asked is None:
            raise
        executable = asked
        base, _ = take_apart(executable)
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


def _ask_in_sandbox(sandbox: Sandbox, executable: Path, binds: tuple[Bind, ...]) -> tuple[int, int]:
    """The version, from a start inside the sandbox.

    Raises:
        UsageError: it does not start there, or is not CPython that is new enough.
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
        said = (scrub_bytes(raw.stderr[-500:]).strip() or "it said nothing").splitlines()[-1]
        raise UsageError(
            f"{executable} does not start in the sandbox: {said}. Give another one with --python."
        ) from None
    if implementation != "cpython" or (major, minor) < OLDEST:
        raise UsageError(
            f"{executable} is {str(implementation)[:40]} {major}.{minor}; the sandbox needs CPython "
            f"{OLDEST[0]}.{OLDEST[1]} or newer. Give another one with --python."
        )
    return major, minor
