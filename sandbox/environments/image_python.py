"""The Python of an image: what it is called there, and what is installed beside it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from afterburner.sandbox.container_paths import SCRATCH
from afterburner.sandbox.errors import SandboxInternalError, UsageError
from afterburner.sandbox.interpreter import OLDEST
from afterburner.sandbox.scrubbing import scrub_bytes
from afterburner.sandbox.types import Command, ContainerSpec, ImagePython, Limits, Package, PythonEnvironment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.sandbox.project import StagedProject
    from afterburner.sandbox.sandbox import Sandbox

_KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ")  # others may be secrets that an image brings
_SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
_NAMES = ("python3", "python")
_LIMITS = Limits(wall_time_s=60.0, cpu_time_s=60.0)
_MOST_PACKAGES = 3_000
_MOST_MODULES = 20_000
_MOST_TEXT = 200  # characters of a name
_LONGEST_PATH = 4_000
_PROBE = """
import json, pkgutil, sys
from importlib import metadata
def modules(one):
    listed = one.read_text("top_level.txt")
    if listed is not None:
        return listed.split()
    tops = {file.parts[0].partition(".")[0] if len(file.parts) == 1 else file.parts[0] for file in one.files or ()}
    return sorted(name for name in tops if name.isidentifier() and name != "__pycache__")
packages = []
for one in metadata.distributions():
    try:
        packages.append([one.metadata["Name"] or "", one.version or "", modules(one)])
    except Exception:
        pass
names = sorted({each.name for each in pkgutil.iter_modules()})
print(json.dumps([list(sys.version_info[:2]), sys.executable, sys.implementation.name, names, packages]))
"""


def image_python(
    sandbox: Sandbox,
    image: str,
    variables: Mapping[str, str],
    *,
    requested: str | None = None,
    project: StagedProject | None = None,
    import_paths: Sequence[str] = (),
    working_directory: str | None = None,
) -> PythonEnvironment:
    """What a program needs to see that runs under the Python of an image. It is started once, in the sandbox.

    Args:
        sandbox: one of Docker containers.
        image: its id.
        variables: those that the image sets.
        requested: the interpreter, by a path or a name in the image; None: its `python3`.
        project: the staged project; it is seen at its own path.
        import_paths: folders that the program's modules are imported from.
        working_directory: where the program starts; the sandbox's `/tmp` if None.

    Raises:
        UsageError: it has no CPython of 3.9 or newer that an unprivileged user can start.
    """
    kept = tuple((name, variables[name]) for name in _KEPT_VARIABLES if variables.get(name))
    given = {"PATH": _SEARCH_PATH, "HOME": SCRATCH, **dict(kept)}
    kept = tuple(({**dict(kept), "PATH": given["PATH"]}).items())
    names = (requested,) if requested is not None else _NAMES
    failures = []
    for name in names:
        try:
            told = _ask(sandbox, image, name, given)
        except UsageError as error:
            failures.append(str(error))
            continue
        version, executable, modules, packages = told
        python = ImagePython(image, kept, modules, packages)
        binds = () if project is None else project.binds
        return PythonEnvironment(
            executable, version, binds, tuple(import_paths), working_directory or SCRATCH, image=python
        )
    raise UsageError(
        f"The image has no Python that runs here: {failures[0]}. Name one of its interpreters with "
        "--python, or another image with --environment-from."
    )


def _ask(
    sandbox: Sandbox, image: str, name: str, variables: dict[str, str]
) -> tuple[tuple[int, int], str, frozenset[str], tuple[Package, ...]]:
    """What it says of itself, looked at as what a program of somebody else says."""
    command = Command((name, "-I", "-c", _PROBE), variables)
    try:
        raw = sandbox.run_raw(ContainerSpec(image=image), command, b"", _LIMITS)
    except SandboxInternalError as error:
        raise UsageError(f"{name} does not start ({error})") from error
    try:
        (major, minor), executable, implementation, names, packages = json.loads(raw.stdout)
        version = int(major), int(minor)
        modules = frozenset(_name(each) for each in names[:_MOST_MODULES])
        found = tuple(
            Package(_name(title), _name(of), tuple(_name(each) for each in imported[:_MOST_TEXT]))
            for title, of, imported in packages[:_MOST_PACKAGES]
        )
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        said = (scrub_bytes(raw.stderr[-500:]).strip() or "it said nothing").splitlines()[-1]
        raise UsageError(f"{name} does not start ({said})") from None
    if implementation != "cpython" or version < OLDEST:
        kind = scrub_bytes(str(implementation)[:40].encode())
        raise UsageError(
            f"{name} is {kind} {version[0]}.{version[1]}; the oldest that runs is CPython {OLDEST[0]}.{OLDEST[1]}"
        )
    if not isinstance(executable, str) or not executable.startswith("/") or len(executable) > _LONGEST_PATH:
        raise UsageError(f"{name} does not know where it lies")
    return version, executable, modules, found


def _name(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError
    return text[:_MOST_TEXT]
