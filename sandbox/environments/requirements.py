"""Requirements: those that a project's files list, with the files that they lead to."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from afterburner.sandbox.environments.python_version import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from afterburner.sandbox.environments.declaration import ProjectReader

MAIN = "requirements.txt"
_FOR_TESTS = ("dev", "test", "tests", "testing")
FILES = (  # where they usually lie
    *(MAIN, *(f"requirements-{kind}.txt" for kind in _FOR_TESTS), *(f"requirements_{kind}.txt" for kind in _FOR_TESTS)),
    *(f"{kind}-requirements.txt" for kind in _FOR_TESTS),
    *(f"requirements/{kind}.txt" for kind in ("base", "main", *_FOR_TESTS)),
)
_REFERENCE = re.compile(r"^(?:-r|-c|--requirement\b|--constraint\b)[\s=]*(\S+)")
_WHEELS = re.compile(r"^(?:-f|--find-links\b)[\s=]*(\S+)")
_EDITABLE = re.compile(r"^(?:-e|--editable\b)[\s=]*(\S+)")
_LOCAL = re.compile(r"^(?:\.{1,2}(?:/|$|\[)|file:)\S*")
_EXTRAS = re.compile(r"\[([\w\s,.-]+)\]")
_ARCHIVES = (".whl", ".tar.gz", ".zip")
_MOST_FILES = 200


@dataclass(slots=True)
class Listed:
    """What requirements files come to.

    Attributes:
        files: they and all that they lead to inside the project, by path.
        own_extras: the extras of the project itself that they ask for; None: they do not ask for the project.
        notes: on the lines that are left out.
    """

    files: dict[str, bytes | Path] = field(default_factory=dict)
    own_extras: set[str] | None = None
    notes: list[str] = field(default_factory=list)


def find_requirements(reader: ProjectReader) -> list[str]:
    """The files at their usual places that list what a project needs to run and to be tested."""
    return [name for name in FILES if reader.path(name) is not None]


def with_referenced(reader: ProjectReader, names: list[str]) -> Listed:
    """Those files, and all that they lead to inside the project.

    Left out are lines that install a folder of the project's own: its code is read from where it lies.

    Raises:
        UsageError: one cannot be read.
    """
    listed = Listed()
    waiting = list(names)
    while waiting and len(listed.files) < _MOST_FILES:
        name = os.path.normpath(waiting.pop())
        text = None if name in listed.files else reader.text(name)
        if text is None:
            continue  # if it is missing, pip will say so, in its own words
        kept = [line for line in _logical_lines(text) if not _is_own_folder(line, name, listed)]
        for line in kept:
            waiting += _referenced(reader, PurePosixPath(name).parent, line.strip(), listed)
        listed.files[name] = "\n".join((*kept, "")).encode()
    return listed


def _referenced(reader: ProjectReader, folder: PurePosixPath, line: str, listed: Listed) -> list[str]:
    """The requirements files that a line names; wheels and archives that it leads to are taken along."""
    if found := _REFERENCE.match(line):
        return [(folder / found[1]).as_posix()]
    if found := _WHEELS.match(line):
        for place in {(folder / found[1]).as_posix(), found[1]}:  # pip tries both
            archives = [each for each in reader.names_from_here(place) if each.endswith(_ARCHIVES)]
            listed.files |= {each: reader.folder / each for each in archives if reader.path(each) is not None}
    elif (found := _LOCAL.match(line)) and (path := reader.path(found[0])) is not None:
        listed.files[os.path.normpath(found[0])] = path
    return []


def listed_in(settings: dict[str, Any], extras: Iterable[str] = ()) -> list[str]:
    """The requirements of a `pyproject.toml`, those of `extras` and of what is for development and tests among them."""
    project = table(settings, "project")
    found = list(_texts(project.get("dependencies")))
    for kind in (*sorted(extras), *_FOR_TESTS):
        found += _texts(table(project, "optional-dependencies").get(kind))
        found += _group(table(settings, "dependency-groups"), kind, set())
    return list(dict.fromkeys(found))


def _group(groups: dict[str, Any], name: str, seen: set[str]) -> Iterator[str]:
    """PEP 735: a group's requirements, and those of the groups that it includes."""
    if name in seen or not isinstance(groups.get(name), list):
        return
    seen.add(name)
    for entry in groups[name]:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict) and isinstance(entry.get("include-group"), str):
            yield from _group(groups, entry["include-group"], seen)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, str) and "\n" not in each)


def _is_own_folder(line: str, name: str, listed: Listed) -> bool:
    """Whether a line installs a folder that lies here; what it asks for is noted."""
    line = line.strip()
    found = _EDITABLE.match(line)
    place = found[1] if found else line
    is_local = _LOCAL.match(place) is not None or (found is not None and "://" not in place)
    if not is_local or place.split("#")[0].split(";")[0].strip().endswith(_ARCHIVES):
        return False
    extras = _EXTRAS.search(place)
    listed.own_extras = (listed.own_extras or set()) | set(re.split(r"[\s,]+", extras[1].strip()) if extras else ())
    listed.notes.append(f"{name}: {line!r} is left out: the project's own code is not installed")
    return True


def _logical_lines(text: str) -> Iterator[str]:
    """Lines with those joined that a backslash continues; comments stay."""
    waiting = ""
    for line in text.splitlines():
        waiting += line
        if waiting.endswith("\\") and not waiting.lstrip().startswith("#"):
            waiting = waiting[:-1] + " "
            continue
        yield waiting
        waiting = ""
    if waiting:
        yield waiting
