"""The name under which a file is imported, and the folder that has to be on `sys.path` for it."""

from __future__ import annotations

import keyword
import re
import sys
from typing import TYPE_CHECKING

from afterburner.sandbox.project import find_project_root

if TYPE_CHECKING:
    from pathlib import Path

_MODULE_SUFFIXES = (".py", ".so")


def import_name(path: Path) -> str:
    """Give the name that the project of a file imports it by: `inventory.words`."""
    return module_name(path, find_project_root(str(path)))[0]


def module_name(path: Path, project_root: Path) -> tuple[str, str]:
    """Work out a file's import name and import root.

    Regular packages are followed up through their `__init__.py`. In a `src` layout the folder `src` is the root, so
    that namespace packages (PEP 420) keep their full name. A file whose name is no identifier (`my-script.py`) gets a
    similar one that no neighbour has; it has to be loaded by its path.
    """
    root = path.parent
    while _is_package(root) and root != root.parent:
        root = root.parent
    root = _source_folder(root, project_root) or root
    parts = list(path.relative_to(root).parts[:-1])
    stem = path.stem
    if stem != "__init__" or not parts:
        parts.append(_as_identifier(stem, path.parent))
    return ".".join(parts), str(root)


def shadows_standard_library(folder: Path) -> bool:
    """Whether a module or package in a folder would stand in for one of the standard library, were the folder first."""
    try:
        entries = list(folder.iterdir())
    except OSError:
        return False  # nothing can be imported from there, either
    return any(
        entry.name.partition(".")[0] in sys.stdlib_module_names
        and (entry.suffix in _MODULE_SUFFIXES or (entry / "__init__.py").is_file())
        for entry in entries
    )


def _is_package(folder: Path) -> bool:
    return folder.name.isidentifier() and not keyword.iskeyword(folder.name) and (folder / "__init__.py").is_file()


def _source_folder(folder: Path, project_root: Path) -> Path | None:
    """Find the `src` folder above, inside the project, from which every folder down to here can be imported."""
    for candidate in (folder, *folder.parents):
        if candidate == project_root or project_root not in candidate.parents:
            return None
        if candidate.name == "src":
            return candidate
        if not candidate.name.isidentifier() or keyword.iskeyword(candidate.name):
            return None
    return None


def _as_identifier(stem: str, folder: Path) -> str:
    if stem.isidentifier() and not keyword.iskeyword(stem):
        return stem
    name = re.sub(r"\W", "_", stem)
    if not name.isidentifier() or keyword.iskeyword(name):
        name = f"_{name}"
    while (folder / f"{name}.py").exists() or (folder / name).exists():
        name += "_"
    return name
