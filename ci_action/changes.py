"""Finds the functions that a pull request adds or changes."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from git.exc import GitError

from afterburner.agent import AfterburnerError, UsageError
from afterburner.agent.code.locate import functions_in, text_of
from afterburner.agent.code.source_text import dedent, parse, split_lines
from afterburner.agent.errors import TargetError
from afterburner.agent.inputs.project_modules import has_generated_name, is_hidden, is_test, says_generated
from afterburner.agent.wording import count
from afterburner.ci_action.python_code import (
    codes_of_functions,
    decode,
    differs_outside,
    line_of_syntax_error,
    rebound_functions,
)
from afterburner.ci_action.report.document import MOST_LINES, function_key
from afterburner.ci_action.repository import ChangedFile, blob_at, blob_id, bytes_of_blob, changed_files, file_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from git import Commit, Repo

    from afterburner.ci_action.paths import PathFilter
    from afterburner.ci_action.repository import Range

MOST_CHANGED_FILES = 1_000
LONGEST_PATH = LONGEST_NAME = 1_000  # characters
MOST_BYTES = 1024 * 1024  # of one file
_EXECUTABLE = 0o100755


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
        is_executable: of the file.
        moved_from: the files of the base that had a function of this name, and have the name no longer; empty: there
            are none.
        is_bound: whether the head binds the name otherwise than the base, such as by an import: the lines and the text
            are those of that statement.
    """

    file: str
    base_file: str
    name: str
    first_line: int
    last_line: int
    text: str
    blob: str
    is_new: bool
    is_executable: bool = False
    moved_from: str = ""
    is_bound: bool = False

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
    line: int | None = None  # that cannot be read
    is_unknown: bool = False  # it could not be read, or is not what the commit has, so nothing is known of the change
    beyond_max_functions: bool = False  # so many others come before it that the option leaves it out


class _UnknownError(UsageError):
    """What the commit has of a file cannot be read, or is not what lies in the checkout."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a pull request changes, as far as it can be optimised."""

    functions: tuple[ChangedFunction, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()


_OF_PROPERTY = "it is a property, which is not looked at by itself"


def find_changes(repository: Repo, span: Range, wanted: PathFilter, *, of_checkout: bool) -> Changes:
    """Find the functions that were added or whose code was changed; comments, docstrings and layout do not count.

    All is read from git: line ends and other filters may make something else of it in the checkout.

    Tests, generated and hidden files, links, submodules and everything that is not Python are passed over in silence.

    Args:
        repository: that is open.
        span: the commits.
        wanted: the files that count.
        of_checkout: whether what lies in the checkout is to be measured. Files that differ there are left out.

    Raises:
        UsageError: the pull request changes too many files, or no file at all matches what counts.
    """
    root = Path(str(repository.working_tree_dir))
    files = changed_files(repository, span)
    functions: list[ChangedFunction] = []
    left_out: list[LeftOut] = []
    notes: list[str] = []
    counting = _that_count(files, wanted)
    if span.base == span.head:
        notes.append("the base has all that is checked out, so there is nothing to compare; name another --base")
    if not counting:
        _check_include(repository, span, wanted, files)
    if not counting and (unwanted := sum(each.is_regular and _is_source(Path(each.path)) for each in files)):
        notes.append(
            f"the patterns (include, exclude) leave out {count(unwanted, 'changed file')}, and no other is left"
        )
    for changed in counting:
        name = printable_name(changed.path)
        if name != changed.path:
            left_out.append(LeftOut(name, "its name is too long, or not one that a report can hold"))
            continue
        data = b""
        try:
            if of_checkout:
                _check_on_disk(root / PurePosixPath(changed.path), changed.blob)
            data = _bytes_at_head(repository, changed)
            _check_python(repository, changed, data)
            found = list(_changed_functions(repository, changed, data))
            functions += found
            functions += _rebound_functions(repository, changed, data, {each.name for each in found})
            left_out += [LeftOut(name, _OF_PROPERTY, each) for each in _changed_properties(repository, changed, data)]
            if _differs_outside_of_functions(repository, changed, data):
                notes.append(f"{name}: code outside of functions was changed, too, and is not measured by itself")
        except AfterburnerError as error:
            is_unknown = isinstance(error, _UnknownError)
            line = line_of_syntax_error(data, MOST_LINES)
            left_out.append(LeftOut(name, str(error).rstrip("."), line=line, is_unknown=is_unknown))
        except GitError:  # a partial clone may lack a file of either commit
            reason = (
                "git lacks it, as in a clone with --filter: clone without one, or `git fetch --refetch --no-filter`"
            )
            left_out.append(LeftOut(name, reason, is_unknown=True))
    return Changes(_with_moves(repository, files, functions), tuple(left_out), tuple(notes))


def printable_name(path: str) -> str:
    """The path as a report can hold it: the same, unless it is too long, not UTF-8, or has a backslash."""
    return path.encode("utf-8", "replace").decode().replace("\\", "?").replace("\0", "?")[:LONGEST_PATH]


def functions_of_file(root: Path, head: Commit, file: str) -> list[ChangedFunction]:
    """Every function of one file, as if all were new: for a run over the whole repository.

    Raises:
        UsageError: the file cannot be read, or is not the one of the commit.
    """
    blob = blob_at(head, file)
    if blob is None:
        raise UsageError(f"{file} is not part of commit {head.hexsha[:10]}")
    _check_on_disk(root / PurePosixPath(file), blob)
    changed = ChangedFile(file, file, 0, 0, "", blob)
    return list(_functions(changed, _bytes_at_head(head.repo, changed), {}))


def _differs_outside_of_functions(repository: Repo, changed: ChangedFile, data: bytes) -> bool:
    if not changed.was_regular:
        return False
    before = bytes_of_blob(repository, changed.base_blob, MOST_BYTES) or b""
    return differs_outside(decode(before), decode(data))


def _with_moves(
    repository: Repo, files: Sequence[ChangedFile], functions: Sequence[ChangedFunction]
) -> tuple[ChangedFunction, ...]:
    """The functions with where they were moved from; those that were only moved are no change."""
    if not any(each.is_new for each in functions):
        return tuple(functions)
    gone = _vanished(repository, files)
    bound = {(each.base_file, each.name): each for each in functions if each.is_bound}
    only_moved: set[tuple[str, str]] = set()
    found = []
    for each in functions:
        codes = gone.get(each.name, {}) if each.is_new else {}
        own = codes_of_functions(dedent(each.text)).get(each.name.rpartition(".")[2]) if codes else None
        if same := {(file, each.name) for file, code in codes.items() if code == own}:
            only_moved |= {key for key in same if key in bound and _leads_to(bound[key], each)}
        else:
            lost = [file for file in codes if (file, each.name) not in bound]
            found.append(replace(each, moved_from=" and ".join(lost)))
    return tuple(each for each in found if not each.is_bound or (each.base_file, each.name) not in only_moved)


def _leads_to(bound: ChangedFunction, moved: ChangedFunction) -> bool:
    """Whether the statement that binds a name is an import of the same name from the file it was moved to."""
    place = PurePosixPath(moved.file)
    module = place.parent.name if place.stem == "__init__" else place.stem
    for node in ast.walk(parse(dedent(bound.text))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2] == module:
            return any((alias.asname or alias.name) == bound.name and alias.name == moved.name for alias in node.names)
    return False


def _vanished(repository: Repo, files: Sequence[ChangedFile]) -> dict[str, dict[str, str]]:
    """The functions that changed or deleted files have no longer: by name, their code in each file."""
    found: dict[str, dict[str, str]] = {}
    for changed in files:
        if not (changed.was_regular and changed.base_path.endswith(".py")):
            continue
        try:
            left = _basecodes_of_functions(repository, changed)
            known = codes_of_functions(decode(_bytes_at_head(repository, changed))) if changed.is_regular else {}
        except (UsageError, GitError):  # too large to look at, or missing from a partial clone
            continue
        for name in known:
            left.pop(name, None)
        for name, code in left.items():
            found.setdefault(name, {})[changed.base_path] = code
    return found


def _that_count(files: Sequence[ChangedFile], wanted: PathFilter) -> list[ChangedFile]:
    counting = [each for each in files if each.is_regular and _is_source(Path(each.path)) and wanted.takes(each.path)]
    if len(counting) > MOST_CHANGED_FILES:
        raise UsageError(
            f"The pull request changes {len(counting)} Python files, more than {MOST_CHANGED_FILES}. Choose some: "
            "--include PATTERN."
        )
    return counting


def _check_include(repository: Repo, span: Range, wanted: PathFilter, files: Sequence[ChangedFile]) -> None:
    """Refuse patterns that match nothing: with a slip of the pen in them, every pull request would pass.

    Raises:
        UsageError: nothing that is checked out or was changed matches them.
    """
    if wanted.include is None or any(wanted.include.match_file(each.base_path) for each in files):
        return
    if not any(map(wanted.include.match_file, file_names(repository, span.head))):
        raise UsageError("--include: no file of this repository matches. Write the patterns as in a .gitignore.")


def _is_source(name: Path) -> bool:
    return name.suffix == ".py" and not is_hidden(name) and not is_test(name)


def _changed_functions(repository: Repo, changed: ChangedFile, data: bytes) -> Iterator[ChangedFunction]:
    """The changed functions of a file. One that only now says that a program wrote it is looked at all the same."""
    if has_generated_name(Path(changed.path)) or says_generated(decode(data).splitlines()):
        before = bytes_of_blob(repository, changed.base_blob, MOST_BYTES) if changed.was_regular else b"# @generated"
        if before is None or says_generated(decode(before).splitlines()):
            raise UsageError("its name or its first lines say that a program generates it")
    return _functions(changed, data, _basecodes_of_functions(repository, changed) if changed.was_regular else {})


def _rebound_functions(
    repository: Repo, changed: ChangedFile, data: bytes, known: set[str]
) -> Iterator[ChangedFunction]:
    """The functions of the base, besides the known, whose names the head binds by an import or an assignment."""
    before = bytes_of_blob(repository, changed.base_blob, MOST_BYTES) if changed.was_regular else None
    if before is None:
        return
    text, _ = text_of(data, changed.path)
    lines = split_lines(text)
    for name, (first, last) in rebound_functions(decode(before), text).items():
        if name not in known and len(name) <= LONGEST_NAME:
            yield replace(_function(changed, name, (first, last), lines), is_bound=True)


def _changed_properties(repository: Repo, changed: ChangedFile, data: bytes) -> Iterator[str]:
    """The names of properties whose code was changed: nobody calls them by name, and no run takes one by itself."""
    text = decode(data)
    known = _basecodes_of_functions(repository, changed) if changed.was_regular else {}
    callable_names = {name for name, _, _ in functions_in(text)}
    for name, code in codes_of_functions(text).items():
        if name not in callable_names and name in known and known[name] != code and len(name) <= LONGEST_NAME:
            yield name


def _basecodes_of_functions(repository: Repo, changed: ChangedFile) -> dict[str, str]:
    """The functions of a file at the base.

    Raises:
        UsageError: the file was too large.
    """
    data = bytes_of_blob(repository, changed.base_blob, MOST_BYTES)
    if data is None:
        raise UsageError(f"it was larger than {MOST_BYTES >> 20} MiB at the base")
    return codes_of_functions(decode(data))


def _bytes_at_head(repository: Repo, changed: ChangedFile) -> bytes:
    """What the commit has of a file.

    Raises:
        UsageError: the file is too large.
    """
    data = bytes_of_blob(repository, changed.blob, MOST_BYTES)
    if data is None:
        raise UsageError(f"it is larger than {MOST_BYTES >> 20} MiB")
    return data


def _check_python(repository: Repo, changed: ChangedFile, data: bytes) -> None:
    """Make sure that a file which had functions can still be read as Python, unless it is empty now.

    Raises:
        UsageError: it cannot, so nothing is known of what was changed in it.
    """
    if not data.strip() or not changed.was_regular:
        return
    try:
        text_of(data, changed.path)
    except TargetError as error:
        before = bytes_of_blob(repository, changed.base_blob, MOST_BYTES)
        if before is None or codes_of_functions(decode(before)):
            raise _UnknownError(str(error)) from error


def _functions(changed: ChangedFile, data: bytes, known: dict[str, str]) -> Iterator[ChangedFunction]:
    """The functions of a file whose code is not among the known."""
    text, _ = text_of(data, changed.path)
    lines = split_lines(text)
    if len(lines) > MOST_LINES:
        raise UsageError(f"it has more than {MOST_LINES:,} lines")
    codes = codes_of_functions(text)
    for name, first, last in functions_in(text):
        if len(name) > LONGEST_NAME:
            raise UsageError("the name of one of its functions is too long for a report")
        if name in codes and known.get(name) != codes[name]:
            found = _function(changed, name, (first, last), lines)
            yield replace(found, is_new=name not in known, is_executable=changed.mode == _EXECUTABLE)


def _function(changed: ChangedFile, name: str, place: tuple[int, int], lines: Sequence[str]) -> ChangedFunction:
    """What stands at these lines of the head, as if the base had it, too."""
    first, last = place
    return ChangedFunction(
        file=changed.path,
        base_file=changed.base_path,
        name=name,
        first_line=first,
        last_line=last,
        text="".join(lines[first - 1 : last]),
        blob=changed.blob,
        is_new=False,
    )


def _check_on_disk(path: Path, blob: str) -> None:
    """Make sure that a file of the checkout is that of the commit, where what lies on the disk is measured.

    Raises:
        UsageError: it is something else, or cannot be read.
    """
    if path.is_symlink() or not path.is_file():  # a pipe would not end
        raise _UnknownError("it is not a regular file in this checkout")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"it is larger than {MOST_BYTES >> 20} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise _UnknownError(f"it cannot be read: {error.strerror or error}") from error
    if blob_id(data, blob) != blob:
        raise _UnknownError(
            "it is not the file of the commit: commit or stash it. If git shows no difference, .gitattributes has git "
            "write other line ends, or something else, than it keeps"
        )
