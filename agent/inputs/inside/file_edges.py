"""Other contents of the files that a call reads: at their end, of their lines, in their encoding.

Where a value is the path of a file, another one takes its place, which leads to a file with other contents in a
temporary folder. The name of that folder says what is special, for the file itself stays in the sandbox.
"""

from __future__ import annotations

import hashlib
import io
from pathlib import Path, PurePath
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ....sandbox.driver.call_files import FILES, is_open_file

Edge = Tuple[str, Any]  # kind, value
Content = Tuple[str, bytes]  # kind, what is in the file

_ROOT = Path("/tmp")  # noqa: S108 - the sandbox's own
LONGEST_PATH = 1_000
MOST_KEPT = 4 * 1024  # bytes of a long file that others are made from, in whole lines
MOST_VARIED = 2  # files of a folder
_BOM = b"\xef\xbb\xbf"
_ODD_LETTERS = "\xe9\xdf\u0130\u6f22".encode()
_ODD_BREAKS = ("\x0c", "\x85", "\u2028", "\r")  # which `str.splitlines` takes for the end of a line


def file_edges(value: Any) -> Iterator[Edge]:
    """Values of the same type that lead to other contents; none for what is no path, no open file, no text to read."""
    kind = type(value)
    if kind is io.StringIO or kind is io.BytesIO:
        yield from _in_memory(value)
    elif is_open_file(kind):
        yield from _open_files(value)
    else:
        for name, path in _other_paths(path_of(value)):
            yield name, path if kind is str else kind(path)


def path_of(value: Any) -> str:
    """The path that a text or a path object may be; empty for everything else."""
    if isinstance(value, PurePath):
        return str(value)
    is_short = type(value) is str and len(value) < LONGEST_PATH
    return value if is_short and not value.isalnum() and not set(value) & {"\n", "\0"} else ""


def is_path(value: Any) -> bool:
    """Whether it leads to a file or a folder that is there."""
    path = path_of(value)
    return bool(path) and FILES.has(path)


def with_few_lines(value: Any, most_bytes: int = MOST_KEPT) -> Any:
    """A path that leads to the first lines of a long file; every other value as it is."""
    path = path_of(value)
    content = FILES.content(path) if path else None
    if content is None or len(content) <= most_bytes:
        return value
    made = _made("first lines", path, _beginning(content, most_bytes))
    return made if type(value) is str else type(value)(made)


def contents(content: bytes) -> Iterator[Content]:
    """Other contents near those of a file; of one that is no text only few."""
    beginning = _beginning(content, MOST_KEPT)
    if b"\0" in beginning:
        yield from (("empty file", b""), ("file cut off", beginning[: len(beginning) // 2]))
        return
    known = {content}
    for kind, changed in (*_of_ends(beginning), *_of_lines(beginning), *_of_encodings(beginning)):
        if changed not in known:
            known.add(changed)
            yield kind, changed


def _of_ends(content: bytes) -> Iterator[Content]:
    bare = content.rstrip(b"\r\n")
    last = bare[bare.rfind(b"\n") + 1 :]
    yield "no newline at the end of the file", bare
    yield "blank line at the end of the file", bare + b"\n\n"
    yield "last line cut off", bare[: len(bare) - (len(last) + 1) // 2]
    yield "empty file", b""
    yield "newline at the end of the file", bare + b"\n"


def _of_lines(content: bytes) -> Iterator[Content]:
    lines = content.splitlines()
    half = len(lines) // 2
    first, middle, last = lines[:1], lines[half : half + 1], lines[-1:]
    for kind, chosen in (
        ("blank line in the file", [*lines[:half], b"", *lines[half:]]),
        ("line twice", [*lines[:half], *middle, *lines[half:]]),
        ("lines shuffled", [*first, *lines[2::2], *lines[1::2]]),
        ("spaces around lines", [*first, *(b" " + line + b" \t" for line in lines[1:])]),
        ("one line", first),
        ("quoted field", [*lines, *map(_quoted, last)]),
        ("line cut off in the file", [*lines[:half], *(line[: len(line) // 2] for line in middle), *lines[half + 1 :]]),
        ("two lines", lines[:2]),
        ("lines reversed", lines[::-1]),
    ):
        yield kind, _joined(chosen, b"\r\n" if b"\r\n" in content else b"\n")
    yield "lines that end in CR LF", _joined(lines, b"\r\n")
    yield "lines that end in CR", _joined(lines, b"\r")


def _joined(lines: List[bytes], end: bytes) -> bytes:
    return b"".join(line + end for line in lines)


def _of_encodings(content: bytes) -> Iterator[Content]:
    yield "byte order mark", _BOM + content.removeprefix(_BOM)
    at = _in_a_word(content)
    yield "letters that are not ASCII", content[:at] + _ODD_LETTERS + content[at:]
    for odd in _ODD_BREAKS:
        yield "odd line break", content[:at] + odd.encode() + content[at:]
    yield "bytes that are no UTF-8", content[:at] + b"\xff" + content[at:]


def _in_a_word(content: bytes) -> int:
    """A place behind a letter, in the last third of the file if there is one: the first lines may be a heading."""
    places = [place + 1 for place, byte in enumerate(content) if bytes((byte,)).isalpha()]
    return places[len(places) * 2 // 3] if places else len(content)


def _quoted(line: bytes) -> bytes:
    """A line whose first field stands in quotes, with what parts fields in it."""
    for part in (b",", b";", b"\t"):
        first, found, rest = line.partition(part)
        if found:
            return b'"' + first + part + first + b'"' + found + rest
    return b'"' + line + b'"'


def _beginning(content: bytes, most_bytes: int) -> bytes:
    """The first lines, as many as there is room for; of one endless line a part."""
    if len(content) <= most_bytes:
        return content
    whole = content[: content.rfind(b"\n", 0, most_bytes) + 1]
    return whole or content[:most_bytes]


def _other_paths(path: str) -> Iterator[Tuple[str, str]]:
    content = FILES.content(path) if path else None
    if content is not None:
        for kind, changed in contents(content):
            yield kind, _made(kind, path, changed)
    elif path:
        yield from _other_folders(path)


def _other_folders(folder: str) -> Iterator[Tuple[str, str]]:
    """A folder with the same files, one of which is another or is missing."""
    held = FILES.inside(folder)
    for name in sorted(held)[:MOST_VARIED]:
        yield "file missing", _made_folder("file missing", folder, {**held, name: None})
        for kind, changed in contents(held[name]):
            yield kind, _made_folder(kind, folder, {**held, name: changed})
    if held:
        yield "empty folder", _made_folder("empty folder", folder, {})


def _made(kind: str, path: str, content: bytes) -> str:
    made = str(_ROOT / _folder_name(kind, path, content) / Path(path).name)
    FILES.make(made, content)
    return made


def _made_folder(kind: str, folder: str, files: Dict[str, Optional[bytes]]) -> str:
    told = repr(sorted(files.items())).encode("utf-8", "surrogatepass")
    made = _ROOT / _folder_name(kind, folder, told) / Path(folder).name
    FILES.make(str(made), None)
    for name, content in files.items():
        if content is not None:
            FILES.make(str(made / name), content)
    return str(made)


def _folder_name(kind: str, path: str, content: bytes) -> str:
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass") + b"\0" + content).hexdigest()
    return "%s-%s" % (kind.replace(" ", "-"), digest[:8])


def _in_memory(value: Any) -> Iterator[Edge]:
    if value.closed:
        return
    if type(value) is io.BytesIO:
        yield from ((kind, io.BytesIO(changed)) for kind, changed in contents(value.getvalue()))
        return
    newline = value.__getstate__()[1]
    for kind, changed in contents(value.getvalue().encode("utf-8", "surrogatepass")):
        yield kind, io.StringIO(changed.decode("utf-8", "surrogateescape"), newline)


def _open_files(value: Any) -> Iterator[Edge]:
    """The same kind of open file on another path, read from its beginning."""
    name = getattr(value, "name", None)
    path = name if type(name) is str and not value.closed and value.mode in ("r", "rt", "rb") else ""
    for kind, other in _other_paths(path):
        if type(value) is io.TextIOWrapper:
            yield kind, Path(other).open(value.mode, encoding=value.encoding, errors=value.errors)  # noqa: SIM115
        else:
            yield kind, Path(other).open("rb")  # noqa: SIM115 - the input is an open file
