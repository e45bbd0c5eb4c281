"""Finds what a project's environment is to be made of."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.sandbox.environments.declaration import Declaration, Dockerfile, ProjectReader
from afterburner.sandbox.environments.devcontainer import find_devcontainer
from afterburner.sandbox.environments.python_version import SUPPORTED, asked_version, read_pyproject
from afterburner.sandbox.environments.recipes import CERTIFICATES, plain_recipe, recipe_of
from afterburner.sandbox.environments.requirements import find_requirements
from afterburner.sandbox.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


_LOCKS = ("uv.lock", "poetry.lock")


def read_declaration(root: Path, folder: Path, named: str | None) -> Declaration:
    """What the user names, else a devcontainer, else a Python with the packages that are locked or required.

    Args:
        root: the project.
        folder: of the code that is to run, in the project. Of several declarations the nearest above it counts.
        named: an image, or the path of a Dockerfile, from here or from the project's root; None: nothing.

    Raises:
        UsageError: something cannot be read, or lies outside of the project.
    """
    reader = ProjectReader(root)
    if named is not None:
        return _named(reader, named)
    found = find_devcontainer(reader)
    nearest = ProjectReader(root, _folder_of_declarations(root, folder))
    settings = read_pyproject(nearest)
    recipe, origin = recipe_of(nearest, settings, on_others=found is not None)
    if nearest.folder != root:
        origin = f"{origin} of {nearest.folder.relative_to(root).as_posix()}"
    if found is not None:
        base, place = found
        return Declaration(base, f"{place} with {origin}", recipe)
    version, _ = asked_version(nearest, settings)
    return Declaration(f"python:{version}-slim", f"{origin}, Python {version}", recipe)


def plain_declaration(named: str | None) -> Declaration:
    """For code that belongs to no project: an image that the user names, or a Python with nothing but our test tools.

    Its folder may be one that others write to, so nothing in there counts.
    """
    return (
        Declaration(named, named)
        if named is not None
        else Declaration(f"python:{SUPPORTED[0]}-slim", f"no project, Python {SUPPORTED[0]}", plain_recipe())
    )


def _folder_of_declarations(root: Path, folder: Path) -> Path:
    """The nearest folder with a lock file, else with other declarations; else the project's root."""
    above = [ProjectReader(root, each) for each in (folder, *folder.parents) if each.is_relative_to(root)]
    locked = [reader for reader in above if any(reader.path(name) is not None for name in _LOCKS)]
    declaring = [reader for reader in above if reader.path("pyproject.toml") or find_requirements(reader)]
    return next((reader.folder for reader in (*locked, *declaring)), root)


def _named(reader: ProjectReader, named: str) -> Declaration:
    for place in (Path(named), reader.root / named):
        if place.is_file():
            inside = Path(os.path.relpath(place.absolute(), reader.root))
            if inside.parts[0] == os.pardir or reader.path(PurePosixPath(inside)) is None:
                raise UsageError(
                    f"--environment-from {named}: only a Dockerfile that belongs to the project {reader.root} can be "
                    "built, and this one does not. Build it yourself with `docker build -t NAME .` and give "
                    "--environment-from NAME."
                )
            return Declaration(Dockerfile(inside.as_posix(), "."), inside.as_posix())
    if "/" in named and named.startswith((".", "/", "~")):
        raise UsageError(
            f"--environment-from {named}: there is no such file. Give a Dockerfile or the name of an image."
        )
    return Declaration(named, named)


# What tells an installer where packages come from, and how to get there.
_SOURCES = (
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX"),
)


_CERTIFICATES = ("PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")  # who is trusted on the way; the first that is set
_MOST_CERTIFICATES_BYTES = 4 << 20


def trusted_certificates(environment: Mapping[str, str]) -> tuple[bytes, dict[str, str], list[str]]:
    """The certificates that this process is told to trust, for an installer behind the same proxy.

    Returns:
        The file's content, empty if there is none; the variables that name it there; and notes.
    """
    named = next((environment[name] for name in _CERTIFICATES if environment.get(name)), "")
    if not named:
        return b"", {}, []
    try:
        with Path(named).open("rb") as file:
            data = file.read(_MOST_CERTIFICATES_BYTES + 1)
    except OSError as error:
        return b"", {}, [f"the certificates {named} cannot be read: {error.strerror}"]
    if len(data) > _MOST_CERTIFICATES_BYTES or b"PRIVATE KEY" in data or b"BEGIN CERTIFICATE" not in data:
        why = "has no certificate, contains a private key or is larger than 4 MiB"
        return b"", {}, [f"{named} {why}: the installer does not get it"]
    return data, dict.fromkeys(_CERTIFICATES, CERTIFICATES), []


def package_sources(environment: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The variables of this process that an installer gets, and notes on those that it does not: they hold secrets."""
    passed: dict[str, str] = {}
    notes = []
    for name in _SOURCES:
        value = environment.get(name, "")
        if "@" in value:
            notes.append(f"{name} contains a user name or password: the installer does not get it")
        elif value:
            passed[name] = value
    return passed, notes
