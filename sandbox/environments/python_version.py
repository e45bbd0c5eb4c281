"""Which Python a project asks for."""

from __future__ import annotations

import os
import re
import tomllib
from typing import TYPE_CHECKING, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from afterburner.sandbox.environments.declaration import PYTHON_VERSION
from afterburner.sandbox.errors import UsageError

if TYPE_CHECKING:
    from afterburner.sandbox.environments.declaration import ProjectReader

# Those that the sandbox runs. Best first: the newest has the fewest ready-made wheels.
SUPPORTED = ("3.13", "3.12", "3.14", "3.11", "3.10", "3.9")
_PINNED = re.compile(r"^\s*(?:cpython[-@])?(3\.\d+)", re.MULTILINE)
_CARET = re.compile(r"^\^\s*(\d+)(?:\.(\d+))?(?:\.\d+)?$")  # of Poetry: up to the next major version
_TILDE = re.compile(r"^~\s*(\d+\.\d+)(?:\.\d+)?$")  # likewise: that minor version
_NAMED = re.compile(r"^\d+(?:\.\d+)*(?:\.\*)?$")


def asked_version(reader: ProjectReader, settings: dict[str, Any]) -> tuple[str, str]:
    """The version, such as `3.12`, and who asked for it.

    Args:
        reader: of the project.
        settings: its `pyproject.toml`; empty if there is none.

    Raises:
        UsageError: it asks for one that the sandbox does not run, or what it asks for cannot be read.
    """
    above = [each for each in (reader.folder, *reader.folder.parents) if each.is_relative_to(reader.root)]
    for folder in above:
        pinned = _PINNED.search(reader.text(os.path.relpath(folder / PYTHON_VERSION, reader.folder)) or "")
        if pinned is not None:
            return _supported(pinned[1], PYTHON_VERSION)
    wanted, origin = _range(settings)
    if not wanted:
        return SUPPORTED[0], "nothing"
    try:
        allowed = [SpecifierSet(_as_specifier(each)) for each in re.split(r"\|\|?", wanted)]
    except InvalidSpecifier as error:
        raise UsageError(f"{origin} asks for Python {wanted!r}, which cannot be read: {error}.") from error
    for version in SUPPORTED:
        if any(each.contains(f"{version}.{patch}") for each in allowed for patch in (99, 0)):
            return version, origin
    raise UsageError(
        f"{origin} asks for Python {wanted}; the sandbox runs {', '.join(sorted(SUPPORTED, key=_number))}. "
        "Name an image of your own with --environment-from."
    )


def read_pyproject(reader: ProjectReader) -> dict[str, Any]:
    """The `pyproject.toml` beside the declarations; empty if there is none.

    Raises:
        UsageError: it is not TOML.
    """
    text = reader.text("pyproject.toml")
    try:
        return {} if text is None else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{reader.folder / 'pyproject.toml'} is not TOML: {error}.") from error


def table(settings: object, *names: str) -> dict[str, Any]:
    """A table in tables, such as `tool.poetry`; empty where something else stands."""
    for name in names:
        settings = settings.get(name) if isinstance(settings, dict) else None
    return settings if isinstance(settings, dict) else {}


def _range(settings: dict[str, Any]) -> tuple[str, str]:
    of_standard = table(settings, "project").get("requires-python")
    if isinstance(of_standard, str) and of_standard.strip():
        return of_standard, "requires-python"
    of_poetry = table(settings, "tool", "poetry", "dependencies").get("python")
    if isinstance(of_poetry, str) and of_poetry.strip():
        return of_poetry, "tool.poetry.dependencies.python"
    return "", ""


def _as_specifier(wanted: str) -> str:
    """Poetry's own signs in the words of PEP 440."""
    parts = []
    for part in (each.strip() for each in wanted.split(",")):
        if caret := _CARET.match(part):
            parts.append(f">={part[1:].strip()},<{int(caret[1]) + 1}")
        elif tilde := _TILDE.match(part):
            parts.append(f"=={tilde[1]}.*")
        elif _NAMED.match(part):
            parts.append(f"=={part}")
        elif part == "*":
            continue
        else:
            parts.append(part)
    return ",".join(parts)


def _supported(version: str, origin: str) -> tuple[str, str]:
    if version not in SUPPORTED:
        raise UsageError(
            f"{origin} asks for Python {version}; the sandbox runs {', '.join(sorted(SUPPORTED, key=_number))}. "
            "Name an image of your own with --environment-from."
        )
    return version, origin


def _number(version: str) -> int:
    return int(version.partition(".")[2])
