# ruff: noqa: PTH101, PTH102, PTH108, PTH113, PTH114, PTH115, PTH118, PTH123, PTH211 - as in the driver, os.path is loaded
"""Runs the user's program in a process of its own, on a copy of the project that it may write to.

The sandbox shows the project read-only. So the program runs on a copy below `/tmp`, which ends with the run: there it
can write what it writes for its user, and what it has written is told to the host. Small files are copied; where there
are too many, the larger ones are links to the read-only originals.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from ....sandbox.driver.process_guard import guard_process

if TYPE_CHECKING:
    from .harness_types import Request, Write

COPY = "/tmp/.afterburner-project"  # noqa: S108 - the sandbox's own tmpfs
MOST_COPIED_BYTES = 48 << 20
MOST_FILES = 20_000
MOST_TOLD_FILES = 200
MOST_TOLD_BYTES = 1 << 20  # of one file, and of stdout and stderr each
MOST_TOLD_ALTOGETHER = 16 << 20
_LEFT_OUT = frozenset((".git", "__pycache__", "node_modules"))
State = Dict[str, Tuple[int, int, int]]  # by path in the copy: inode, size, time of the last change


def run_whole(request: Request, recorder: Any, write: Write) -> None:  # noqa: ARG001 - of all jobs
    """Run `request["arguments"]` behind `python`; tell the exit code, what was printed, and the files written.

    The text of the target's file is `request["text"]` (base64), whatever the project shows at its place.
    """
    guard_process()
    root = request["project_root"]
    if not copy_project(root, COPY):
        write({"kind": "failed", "stage": "copy", "reason": "the project has more than %d files" % MOST_FILES})
        return
    target = _in_copy(request["path"], root)
    with open(target, "wb") as file:
        file.write(base64.b64decode(request["text"]))
    before = _state(COPY)
    code, stdout, stderr = _run(
        [_in_copy(each, root) for each in request["arguments"]],
        _in_copy(request["working_directory"], root),
        _environment(request, root),
    )
    told = {"exit_code": code, "stdout": _encoded(stdout), "stderr": _encoded(stderr)}
    write({"kind": "told", "body": told})
    for name, content in _written(before, _state(COPY)):
        write({"kind": "told", "body": {"file": name, "content": None if content is None else _encoded(content)}})


def copy_project(root: str, place: str) -> bool:
    """Copy the files below `root`; whether there were few enough to do so."""
    files: List[Tuple[int, str, str]] = []
    waiting = [(root, place)]
    while waiting:
        folder, copy = waiting.pop()
        os.mkdir(copy)
        for entry in os.scandir(folder):
            to = os.path.join(copy, entry.name)
            if entry.name in _LEFT_OUT or entry.path == place:
                continue
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), to)
            elif not entry.is_dir():
                files.append((entry.stat().st_size, entry.path, to))
            elif os.path.ismount(entry.path) or os.path.lexists(os.path.join(entry.path, "pyvenv.cfg")):
                os.symlink(entry.path, to)
            else:
                waiting.append((entry.path, to))
        if len(files) > MOST_FILES:
            return False
    _copy_files(sorted(files))
    return True


def _copy_files(files: List[Tuple[int, str, str]]) -> None:
    """The smallest first; those for which there is no room become links."""
    left = MOST_COPIED_BYTES
    for size, path, to in files:
        left -= size
        if left < 0:
            os.symlink(path, to)
        else:
            shutil.copyfile(path, to)
            os.chmod(to, 0o755 if os.access(path, os.X_OK) else 0o644)


def _in_copy(text: str, root: str) -> str:
    """A path of the project as the copy has it; any other text as it is."""
    return COPY + text[len(root) :] if text == root or text.startswith(root.rstrip("/") + "/") else text


def _environment(request: Request, root: str) -> Dict[str, str]:
    variables = dict(os.environ)
    variables["PYTHONPATH"] = os.pathsep.join(_in_copy(each, root) for each in request["import_paths"])
    variables["PYTHONHASHSEED"] = str(request["hash_seed"])
    return variables


def _run(arguments: List[str], folder: str, variables: Dict[str, str]) -> Tuple[int, bytes, bytes]:
    """The exit code, stdout and stderr of a Python. Descriptors of ours are not handed on."""
    places = [COPY + ".stdout", COPY + ".stderr"]
    with open(places[0], "w+b") as stdout, open(places[1], "w+b") as stderr:
        for place in places:
            os.unlink(place)
        process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=variables,
        )
        code = process.wait()
        return code, _head(stdout), _head(stderr)


def _head(file: Any) -> bytes:
    file.seek(0)
    return bytes(file.read(MOST_TOLD_BYTES))


def _state(place: str) -> State:
    """What tells of each regular file whether it has been written to: no program can set the time of the change."""
    found: State = {}
    for folder, folders, files in os.walk(place):
        folders[:] = sorted(each for each in folders if each not in _LEFT_OUT)
        for name in files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            found[path] = (status.st_ino, status.st_size, status.st_ctime_ns)
    return found


def _written(before: State, after: State) -> Iterator[Tuple[str, Optional[bytes]]]:
    """Names of the files that were written or removed, with what is in them; None: it is gone."""
    left = MOST_TOLD_ALTOGETHER
    changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    for path in changed[:MOST_TOLD_FILES]:
        content = _content(path)
        left -= len(content or b"")
        if left < 0:
            return
        yield os.path.relpath(path, COPY), content


def _content(path: str) -> Optional[bytes]:
    if os.path.islink(path):
        return b"-> " + os.fsencode(os.readlink(path))
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return file.read(MOST_TOLD_BYTES)


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
