"""The Python that a program runs under: the user's own interpreter, and the files of their project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.sandbox.types import Bind


@dataclass(frozen=True, slots=True)
class PythonEnvironment:
    """An interpreter with what must be bound for it, and (optionally) a staged project.

    `executable` is the path to start inside the sandbox. `binds` hold the interpreter's prefixes, its site-packages
    and the staged project at its original path. `import_paths` go to the front of `sys.path` (project roots).
    `site_packages` are the host folders that packages are installed in. `prefix` is what the interpreter is started
    by, such as a tool that counts its instructions.
    """

    executable: str
    version: tuple[int, int]
    binds: tuple[Bind, ...]
    import_paths: tuple[str, ...] = ()
    working_directory: str = "/tmp"  # noqa: S108 - the sandbox's own tmpfs
    site_packages: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()
