# ruff: noqa: PTH100, PTH102, PTH106, PTH108, PTH110, PTH112, PTH114, PTH118, PTH120, PTH123, PTH208 - files are laid out
# before each call that is timed, and os.path is quicker than pathlib
"""The files that calls need: what a main block wrote to a temporary folder is nowhere else when its call is repeated.

A blob carries the files in the sandbox's scratch folders that its call names or opens, as they were before the call.
Where the blob is read, in another sandbox, they are laid out again; before each call those of the call before are
taken away. Files of the project need none of this: they are there, and nobody can change them.
"""

from __future__ import annotations

import io
import json
import os
import struct
from typing import TYPE_CHECKING, Any, Collection, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from . import opened_files

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

SCRATCH = ("/tmp/", "/dev/shm/")  # noqa: S108 - the sandbox's own
MOST_FILES = 16
MOST_BYTES = 1 << 20  # of one file
MOST_TOGETHER = 1 << 22  # bytes of all files of a call
_MARK = b"F"  # no pickle begins with it
_LENGTH = struct.Struct(">I")
_OPEN = (io.TextIOWrapper, io.BufferedReader)


class CarriedFile(NamedTuple):
    """A file or a folder. `is_named`: a value of the call leads to it, or to the folder that it is in."""

    path: str
    content: Optional[bytes]  # None: a folder
    is_named: bool


Files = Tuple[CarriedFile, ...]


class FilesOfCalls:
    """What is known of the files of the calls that were read, and what was laid out for them."""

    def __init__(self) -> None:
        self._known: Dict[str, Optional[bytes]] = {}
        self._unnamed: Dict[str, bool] = {}
        self._laid: List[str] = []

    def needed(self, paths: Collection[str]) -> Files:
        """What a call that names these paths needs; of a folder, what calls before have needed of it."""
        found: Dict[str, CarriedFile] = {}
        for path in sorted(map(os.path.abspath, paths)):
            if path not in self._known and not _is_scratch(path):
                continue
            content = self._known[path] if path in self._known else opened_files.content_of(path, MOST_BYTES + 1)
            if content is not None or path in self._known or os.path.isdir(path):
                found[path] = CarriedFile(path, content, is_named=True)
            elif not os.path.lexists(path) and os.path.dirname(path) + "/" not in SCRATCH:
                folder = os.path.dirname(path)  # the call may be about to write the file
                found.setdefault(folder, CarriedFile(folder, None, is_named=True))
            for inner in self._known if content is None else ():
                if inner.startswith(path + "/"):
                    found[inner] = CarriedFile(inner, self._known[inner], is_named=True)
        for path in self._unnamed:
            found.setdefault(path, CarriedFile(path, self._known[path], is_named=False))
        return tuple(_small(found.values()))

    def make(self, path: str, content: Optional[bytes]) -> None:
        """Make a file or a folder for calls that are to name it."""
        self._known[path] = content
        self._lay(path, content, ())

    def content(self, path: str) -> Optional[bytes]:
        """What is in a file, as calls need it; None for a folder, for what is too large, and where there is nothing."""
        path = os.path.abspath(path)
        content = self._known[path] if path in self._known else opened_files.content_of(path, MOST_BYTES + 1)
        return content if content is not None and len(content) <= MOST_BYTES else None

    def has(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        return os.path.abspath(path) in self._known or os.path.exists(path)

    def inside(self, folder: str) -> Dict[str, bytes]:
        """The files in a folder that calls before have needed, by name."""
        start = os.path.abspath(folder) + "/"
        return {
            path[len(start) :]: content
            for path, content in self._known.items()
            if content is not None and path.startswith(start)
        }

    def lay_out(self, files: Files, *, remember: bool = True) -> None:
        """Let the scratch folders hold these files, and none that were laid out for another call.

        They are remembered for calls that are made from this one, unless it is being recorded.
        """
        wanted = [each.path for each in files]
        for path in self._laid[::-1]:
            if not any(_is_in(each, path) for each in wanted):
                _remove(path)
                self._laid.remove(path)
        for each in files:
            if remember:
                self._known[each.path] = each.content
            if remember and not each.is_named:
                self._unnamed[each.path] = True
            self._lay(each.path, each.content, wanted)

    def clear(self) -> List[str]:
        """Take away what was laid out; what somebody else has put beside it stays.

        Returns:
            What a watch has to tell: two processes that lay out files must not run at once.
        """
        for path in self._laid[::-1]:
            try:
                (os.rmdir if os.path.isdir(path) else os.unlink)(path)
            except OSError:  # it is gone, or not empty
                continue
        self._laid = []
        return ["files of calls: they are laid out in scratch folders"] if self._known else []

    def _lay(self, path: str, content: Optional[bytes], wanted: Sequence[str]) -> None:
        try:
            if content is None:
                self._make_folder(path)
                if path in self._laid:
                    _remove_others(path, wanted)
                return
            self._make_folder(os.path.dirname(path))
            if opened_files.content_of(path) == content:
                return
            if os.path.lexists(path):
                os.unlink(path)  # who has it open still reads what was in it
            elif path not in self._laid:
                self._laid.append(path)
            with open(path, "wb") as file:
                file.write(content)
        except OSError:
            return  # it cannot be there; the call will tell

    def _make_folder(self, path: str) -> None:
        missing = []
        while path and not os.path.isdir(path):
            missing.append(path)
            path = os.path.dirname(path)
        for each in missing[::-1]:
            os.mkdir(each)
            if each not in self._laid:
                self._laid.append(each)


FILES = FilesOfCalls()  # one, for a process has one view of the disk


def with_files(blob: bytes, files: Files) -> bytes:
    """The blob together with what the call needs."""
    if not files:
        return blob
    told = [[each.path, None if each.content is None else len(each.content), each.is_named] for each in files]
    header = json.dumps(told).encode("ascii")
    contents = [each.content or b"" for each in files]
    return b"".join((_MARK, _LENGTH.pack(len(header)), header, *contents, blob))


def without_files(blob: bytes) -> Tuple[Files, bytes]:
    """What the call needs, and the blob without it."""
    if blob[:1] != _MARK:
        return (), blob
    (length,) = _LENGTH.unpack_from(blob, 1)
    position = 1 + _LENGTH.size + length
    files: List[CarriedFile] = []
    for path, size, is_named in json.loads(blob[position - length : position]):
        content = None if size is None else blob[position : position + size]
        position += size or 0
        files.append(CarriedFile(path, content, is_named))
    return tuple(files), blob[position:]


def with_opened(blob: bytes, opened: Mapping[str, Optional[bytes]]) -> bytes:
    """The blob together with the files that the call has opened: what was in them before, None where there was none."""
    files, rest = without_files(blob)
    folders = [each.path for each in files if each.content is None]
    known = {each.path for each in files}
    more = [
        CarriedFile(path, content, any(_is_in(path, folder) for folder in folders))
        for path, content in opened.items()
        if content is not None and path not in known and _is_scratch(path)
    ]
    return with_files(rest, tuple(_small((*files, *more))))


def may_name_files(blob: bytes) -> bool:
    """Whether a pickle may name a path in a scratch folder: a quick look."""
    return b"tmp" in blob or b"shm" in blob


def reduced_file(value: Any) -> Any:
    """What pickle has to write for a file that is open to be read: its name, and how far it was read."""
    try:
        if value.closed or value.mode not in ("r", "rt", "rb") or FILES.content(value.name) is None:
            return NotImplemented
        position = value.tell()
    except (AttributeError, OSError, TypeError, ValueError):  # no name, or somebody is in the middle of its lines
        return NotImplemented
    text = (-1, value.encoding, value.errors) if type(value) is io.TextIOWrapper else ()
    return io.open, (value.name, value.mode, *text), position, None, None, type(value).seek


def is_open_file(kind: type) -> bool:
    """Whether values of the class are files that may be open to be read."""
    return kind in _OPEN


def _small(files: Iterable[CarriedFile]) -> List[CarriedFile]:
    """Those that are not too large, no more than a blob may carry."""
    kept: List[CarriedFile] = []
    room = MOST_TOGETHER
    for each in files:
        size = len(each.content or b"")
        if size <= min(MOST_BYTES, room) and len(kept) < MOST_FILES:
            kept.append(each)
            room -= size
    return kept


def _is_scratch(path: str) -> bool:
    """Whether it lies where the sandbox can be written to: a project in such a folder cannot."""
    return path.startswith(SCRATCH) and os.access(os.path.dirname(path), os.W_OK)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def _remove_others(folder: str, wanted: Sequence[str]) -> None:
    """Empty a folder, but for what leads to one of these."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if not any(_is_in(each, path) for each in wanted):
            _remove(path)


def _remove(path: str) -> None:
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            _remove_others(path, ())
            os.rmdir(path)
        else:
            os.unlink(path)
    except OSError:
        return
