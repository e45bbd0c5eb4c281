"""Puts compiled modules into the copy of a project: a search starts a hundred processes, each of which imports it.

The copy is shown read-only, so Python cannot keep there what it compiles. For a package of 300 modules, that takes most
of a second in each process.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.inputs.harness import Harness
    from afterburner.agent.inputs.harness_answers import Answer
    from afterburner.sandbox.project import StagedProject

FEW_FILES = 20  # in a project for which this takes longer than it saves
_TAG = re.compile(r"[a-z]+-[0-9]{2,4}")
_MAGIC_BYTES = 4
_BY_TIME = 0  # Python compares the time and the size of the source, so a file that is replaced later counts


def add_compiled(project: StagedProject, harness: Harness) -> None:
    """Let the sandbox compile what importing the harness's target loads, and keep that in the copy.

    What comes back was within reach of the project's own code. It is never loaded outside the sandbox, and inside only
    where that code runs anyway.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    if project.files < FEW_FILES or project.is_single_file:
        return
    for source, name, code in _compiled(harness.ask("compile", "compiled modules"), project):
        status = source.stat()
        header = struct.pack("<III", _BY_TIME, int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
        folder = source.parent / "__pycache__"
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            continue  # the project's own, which may lead out of the copy
        _write(folder / name, code[:_MAGIC_BYTES] + header + code[_MAGIC_BYTES:])


def _write(place: Path, content: bytes) -> None:
    """Keep a compiled module whole or not at all: without it, Python compiles the text as before."""
    try:
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    except OSError:
        place.unlink(missing_ok=True)


def _compiled(answer: Answer, project: StagedProject) -> Iterator[tuple[Path, str, bytes]]:
    """For each module of the copy that the answer tells: its file there, the name of what is kept, magic and code."""
    for body in answer.told:
        match body:
            case {"tag": str(tag), "magic": str(magic), "modules": list(modules)} if _TAG.fullmatch(tag):
                for path, code in filter(_is_pair, modules):
                    source = _in_copy(path, project)
                    content = _decoded(magic, code)
                    if source is not None and content is not None:
                        yield source, f"{source.stem}.{tag}.pyc", content


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(each, str) for each in value)


def _decoded(magic: str, code: str) -> bytes | None:
    try:
        start, rest = base64.b64decode(magic, validate=True), base64.b64decode(code, validate=True)
    except binascii.Error:
        return None
    return start + rest if len(start) == _MAGIC_BYTES else None


def _in_copy(path: str, project: StagedProject) -> Path | None:
    """Where a module of the project lies in the copy; None if it is no file of it, or behind a link."""
    if not Path(path).is_relative_to(project.root):
        return None
    place = project.folder / Path(path).relative_to(project.root)
    is_inside = place.is_file() and place.resolve() == project.folder.resolve() / Path(path).relative_to(project.root)
    return place if is_inside and place.suffix == ".py" else None
