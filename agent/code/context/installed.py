"""Which distributions an environment has, told from the files that installers leave; nothing of it is started."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.context.readable_files import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.sandbox import PythonEnvironment

MAX_DISTRIBUTIONS = 3_000
_MAX_METADATA_BYTES = 2_000_000
_MAX_RECORD_BYTES = 8_000_000
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
_VERSION = re.compile(r"[A-Za-z0-9.!+_-]{1,60}")
_FOLDERS = (".dist-info", ".egg-info")


@dataclass(frozen=True, slots=True)
class Distribution:
    """Something installed: its name and version, and the top-level names that it is imported by."""

    name: str
    version: str
    modules: frozenset[str]

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


def installed_in(environment: PythonEnvironment) -> tuple[Distribution, ...]:
    """What an environment has: told by its files here, or by its image when that was asked."""
    if environment.image is None:
        return installed_distributions(environment.site_packages)
    found = {
        normalized(each.name): Distribution(each.name, each.version, frozenset(each.modules))
        for each in reversed(environment.image.packages)
        if _NAME.fullmatch(each.name) and _VERSION.fullmatch(each.version)
    }
    return tuple(found[name] for name in sorted(found))


def installed_distributions(site_packages: Sequence[str]) -> tuple[Distribution, ...]:
    """Read what is installed in some folders, the first of each name, in the order of their names."""
    found: dict[str, Distribution] = {}
    for folder in map(Path, site_packages):
        for place in _metadata_places(folder):
            distribution = _read(folder, place)
            if distribution is not None:
                found.setdefault(normalized(distribution.name), distribution)
    return tuple(found[name] for name in sorted(found))


def normalized(name: str) -> str:
    """Write a distribution's name in the one way that all its spellings share (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _metadata_places(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.name.endswith(_FOLDERS))[:MAX_DISTRIBUTIONS]
    except OSError:
        return []


def _read(folder: Path, place: Path) -> Distribution | None:
    candidates = (place / "METADATA", place / "PKG-INFO", place)  # an old .egg-info may be a file itself
    data = next((each for path in candidates if (each := read_regular(path, _MAX_METADATA_BYTES, within=folder))), b"")
    fields = dict(_header(data.decode("utf-8", "replace")))
    name, version = fields.get("name", ""), fields.get("version", "")
    if not _NAME.fullmatch(name):
        return None
    modules = frozenset(_modules(folder, place)) or {name.replace("-", "_")}
    return Distribution(name, version if _VERSION.fullmatch(version) else "", frozenset(modules))


def _header(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if not line.strip():
            return
        key, colon, value = line.partition(":")
        if colon and not line[0].isspace():
            yield key.strip().lower(), value.strip()


def _modules(folder: Path, place: Path) -> Iterator[str]:
    """The names in `top_level.txt`, else those of the files that RECORD lists."""
    listed = read_regular(place / "top_level.txt", _MAX_METADATA_BYTES, within=folder)
    if listed is not None:
        yield from (name for line in listed.decode("utf-8", "replace").split() if (name := line).isidentifier())
        return
    record = read_regular(place / "RECORD", _MAX_RECORD_BYTES, within=folder) or b""
    for line in record.decode("utf-8", "replace").splitlines():
        first, slash, _ = line.partition(",")[0].partition("/")
        name = first if slash else first.partition(".")[0]
        is_module = bool(slash) or first.endswith((".py", ".so"))
        if is_module and name.isidentifier() and name != "__pycache__":
            yield name
