"""Finds the functions that a pull request adds or changes."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError, UsageError
from afterburner.agent.code.locate import functions_in, read_source
from afterburner.agent.code.source_text import parse, split_lines
from afterburner.agent.inputs.project_modules import is_generated, is_hidden, is_test
from afterburner.ci_action.report.document import function_key
from afterburner.ci_action.repository import ChangedFile, blob_at, changed_files, text_of_blob

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from git import Commit, Repo

    from afterburner.ci_action.paths import PathFilter
    from afterburner.ci_action.repository import Range

MOST_CHANGED_FILES = 1_000
MOST_BYTES = 1024 * 1024  # of one file
_DOCSTRING_OWNERS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class ChangedFunction:
    """A function whose code is not what it was at the base.

    Attributes:
        file: from the repository's root, at the head.
        base_file: likewise at the base; another one where the file was renamed.
        name: `name` or `Class.name`.
        first_line: at the head, from 1.
        last_line: likewise, inclusive.
        text: of the function at the head.
        blob: the git id of the file at the head.
        is_new: whether the base has no function of this name in this file.
    """

    file: str
    base_file: str
    name: str
    first_line: int
    last_line: int
    text: str
    blob: str
    is_new: bool

    @property
    def source_sha256(self) -> str:
        """The hash of its text."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def key(self) -> str:
        """What remembers it across runs."""
        return function_key(self.file, self.name, self.source_sha256)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file, or a function of it, that was not looked at, and why."""

    file: str
    reason: str
    function: str | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """What a pull request changes, as far as it can be optimised."""

    functions: tuple[ChangedFunction, ...]
    left_out: tuple[LeftOut, ...]


def find_changes(repository: Repo, span: Range, wanted: PathFilter) -> Changes:
    """Find the functions that were added or whose code was changed; comments, docstrings and layout do not count.

    Tests, generated and hidden files, links, submodules and everything that is not Python are passed over in silence.

    Args:
        repository: that is open.
        span: the commits.
        wanted: the files that count.

    Raises:
        UsageError: the pull request changes too many files.
    """
    root = Path(str(repository.working_tree_dir))
    functions: list[ChangedFunction] = []
    left_out: list[LeftOut] = []
    for changed in _that_count(changed_files(repository, span), wanted):
        known = changed.path.encode("utf-8", "replace").decode()
        if known != changed.path:
            left_out.append(LeftOut(known, "its name is not UTF-8"))
            continue
        try:
            functions += _changed_functions(repository, root, changed)
        except AfterburnerError as error:
            left_out.append(LeftOut(known, _short(error, root)))
    return Changes(tuple(functions), tuple(left_out))


def functions_of_file(root: Path, head: Commit, file: str) -> list[ChangedFunction]:
    """Every function of one file, as if all were new: for a run over the whole repository.

    Raises:
        UsageError: the file cannot be read, or is not the one of the commit.
    """
    blob = blob_at(head, file)
    if blob is None:
        raise UsageError(f"{file} is not part of commit {head.hexsha[:10]}")
    return list(_functions(root, ChangedFile(file, file, 0, 0, "", blob), {}))


def _that_count(files: Sequence[ChangedFile], wanted: PathFilter) -> list[ChangedFile]:
    counting = [each for each in files if each.is_regular and _is_source(Path(each.path)) and wanted.takes(each.path)]
    if len(counting) > MOST_CHANGED_FILES:
        raise UsageError(
            f"The pull request changes {len(counting)} Python files, more than {MOST_CHANGED_FILES}. Choose some: "
            "--include PATTERN."
        )
    return counting


def _is_source(name: Path) -> bool:
    return name.suffix == ".py" and not is_hidden(name) and not is_test(name)


def _changed_functions(repository: Repo, root: Path, changed: ChangedFile) -> Iterator[ChangedFunction]:
    base_text: str | None = ""
    if changed.was_regular:
        base_text = text_of_blob(repository, changed.base_blob, MOST_BYTES)
    if base_text is None:
        raise UsageError(f"it was larger than {MOST_BYTES >> 20} MiB at the base")
    return _functions(root, changed, _codes(base_text))


def _functions(root: Path, changed: ChangedFile, known: dict[str, str]) -> Iterator[ChangedFunction]:
    """The functions of a file whose code is not among the known."""
    path = root / PurePosixPath(changed.path)
    if is_generated(path):
        return
    text = _text_on_disk(path, changed.blob)
    lines = split_lines(text)
    codes = _codes(text)
    for name, first, last in functions_in(text):
        if name in codes and known.get(name) != codes[name]:
            yield ChangedFunction(
                file=changed.path,
                base_file=changed.base_path,
                name=name,
                first_line=first,
                last_line=last,
                text="".join(lines[first - 1 : last]),
                blob=changed.blob,
                is_new=name not in known,
            )


def _text_on_disk(path: Path, blob: str) -> str:
    """The text of a file, which has to be that of the commit: what is measured is what is on the disk.

    Raises:
        UsageError: it is something else, or no Python.
    """
    if path.is_symlink() or not path.is_file():
        raise UsageError("it is not a regular file in this checkout")
    data = path.read_bytes()
    if len(data) > MOST_BYTES:
        raise UsageError(f"it is larger than {MOST_BYTES >> 20} MiB")
    if _blob_id(data, blob) != blob:
        raise UsageError("it is not the file of the commit: the checkout has other content, or other line ends")
    return read_source(path)[0]


def _blob_id(data: bytes, like: str) -> str:
    """The id that git gives to a file's content, by the hash of the repository (SHA-1, or SHA-256)."""
    make = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return make(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _codes(text: str) -> dict[str, str]:
    """The syntax tree of each function without docstrings, by name; nothing of a text that is no Python."""
    try:
        tree = parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, str] = {}
    _collect(tree.body, "", found)
    return found


def _collect(body: list[ast.stmt], prefix: str, found: dict[str, str]) -> None:
    for node in body:
        if isinstance(node, _DOCSTRING_OWNERS):
            if not isinstance(node, ast.ClassDef):
                found[prefix + node.name] = ast.dump(_without_docstrings(node))
            else:
                _collect(node.body, f"{prefix}{node.name}.", found)
        else:
            for inner in ("body", "orelse", "finalbody"):
                _collect([each for each in getattr(node, inner, []) if isinstance(each, ast.stmt)], prefix, found)


def _without_docstrings(node: ast.stmt) -> ast.stmt:
    for each in ast.walk(node):
        if isinstance(each, _DOCSTRING_OWNERS) and len(each.body) > 1 and _is_text(each.body[0]):
            del each.body[0]
    return node


def _is_text(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _short(error: Exception, root: Path) -> str:
    return str(error).replace(f"{root}/", "").rstrip(".")
