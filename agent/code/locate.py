"""Finds what is to be optimised: reads the file exactly as it is, and the function in it."""

from __future__ import annotations

import difflib
import functools
import io
import os
import sys
import tokenize
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code import cst
from afterburner.agent.code.bindings import bindings_without_def, explain_name
from afterburner.agent.code.index import index_functions, nested_functions
from afterburner.agent.code.languages import PYTHON, language_of
from afterburner.agent.code.module_name import module_name
from afterburner.agent.code.programs import find_program
from afterburner.agent.code.read_file import read_bytes
from afterburner.agent.code.source_text import dedent, parse, split_lines
from afterburner.agent.errors import TargetError
from afterburner.agent.types import Target
from afterburner.sandbox.project import find_project_root

if TYPE_CHECKING:
    from afterburner.agent.code.index import FunctionPlace

_LISTED = 12  # functions named in a message


def read_source(path: str | Path) -> tuple[str, str]:
    """Read a Python file, without translating its line ends.

    Returns:
        The text (a byte order mark taken off), and the encoding that gives back the bytes on disk exactly:
        `utf-8`, `utf-8-sig` with a byte order mark, or what the coding declaration (PEP 263) says.

    Raises:
        TargetError: no such file, not a regular file, empty, too large, not text, or not Python.
    """
    return text_of(read_bytes(Path(path)), path)


def text_of(data: bytes, path: str | Path) -> tuple[str, str]:
    """Read the content of a Python file as `read_source` does; `path` is what messages call it.

    Raises:
        TargetError: it is empty, not text, or not Python.
    """
    if not data.strip():
        raise TargetError(f"{path} is empty: there is nothing to optimise.")
    if b"\0" in data:
        raise TargetError(f"{path} holds null bytes: it is not Python source, or it is UTF-16; save it as UTF-8.")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except SyntaxError as error:
        raise TargetError(f"{path} cannot be decoded: {error.msg}. Save it as UTF-8.") from None
    except (UnicodeDecodeError, LookupError) as error:
        raise TargetError(f"{path} is not {_spoken(data)} text: {error}. Save it as UTF-8.") from None
    if text.encode(encoding) != data:
        raise TargetError(f"{path}: its encoding {encoding} cannot be written back unchanged. Save it as UTF-8.")
    check_syntax(text, path)
    return text, encoding


def check_syntax(text: str, path: str | Path) -> None:
    """Parse a text; `path` is what messages call it.

    Raises:
        TargetError: it is not Python.
    """
    try:
        parse(text)
    except SyntaxError as error:
        place = f" in line {error.lineno}, column {error.offset or 1}" if error.lineno else ""
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise TargetError(f"{path} has a syntax error{place}: {error.msg} (read as Python {version}).") from None


def find_target(
    path: str | Path,
    function: str | None,
    whole_program: bool = False,
    language: str | None = None,
    project_root: str = "",
    *,
    text: str | None = None,
    or_bound: bool = False,
) -> Target:
    """Find the function `name`, `Class.method` or `Outer.Inner.method` in a file.

    Without a function the whole file is the target. If it is not meant to be (`whole_program` is false: the hottest
    function is still to be found), the file has to define at least one. Programs in other languages, which `language`
    or the suffix tells, are targets as a whole. Without `project_root` the file's own project is found.
    `text` is what an editor holds, and counts in place of what is on the disk. With `or_bound`, an import or an
    assignment may bind the name in place of a `def`: the lines of the target are then those of that statement.

    Raises:
        TargetError: the file cannot be read, or it has no such function; the message names the nearest.
    """
    written_in = language_of(path, language)
    if written_in != PYTHON:
        return find_program(path, written_in, function=function, whole_program=whole_program)
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - Path.resolve would follow links
    source, encoding = read_source(absolute) if text is None else (_checked_text(text, path), "utf-8")
    project_root = project_root or _project_root(absolute)
    module, import_root = module_name(absolute, Path(project_root))
    whole = Target(
        path=str(absolute),
        source=source,
        function=None,
        module=module,
        import_root=import_root,
        project_root=project_root,
        encoding=encoding,
        last_line=max(1, len(split_lines(source))),
    )
    if function is not None:
        return _at(whole, function, or_bound=or_bound)
    if not whole_program and not functions_in(source):
        raise TargetError(f"{path} defines no function. Give --cases DIR to optimise it as a stdin/stdout program.")
    return whole


def _checked_text(text: str, path: str | Path) -> str:
    if not text.strip():
        raise TargetError(f"{path} is empty: there is nothing to optimise.")
    check_syntax(text, path)
    return text


def functions_in(source: str) -> list[tuple[str, int, int]]:
    """List the functions that can be targets: qualified name, first and last line (from 1, inclusive).

    Raises:
        TargetError: the source cannot be parsed.
    """
    return [(place.qualname, place.first_line, place.last_line) for place in _places(source) if not place.is_accessor]


def function_texts(source: str) -> dict[str, str]:
    """The text of each function that can be a target, by its qualified name: from its first decorator, or `def`, on.

    Raises:
        TargetError: the source cannot be parsed.
    """
    lines = split_lines(source)
    return {name: "".join(lines[first - 1 : last]) for name, first, last in functions_in(source)}


def with_source(target: Target, source: str, *, or_bound: bool = False) -> Target:
    """Give the same target in another text of its file, for instance with a rewrite in place.

    `or_bound` is that of `find_target`, for a text that may be another version of the file.

    Raises:
        TargetError: the text cannot be parsed or has no such function.
    """
    if target.function is None:
        return replace(target, source=source, last_line=max(1, len(split_lines(source))))
    return _at(replace(target, source=source), target.function, or_bound=or_bound)


def function_source(target: Target) -> str:
    """Give the target's own text, dedented, decorators included; the whole text for a whole program."""
    if target.function is None:
        return target.source
    return dedent("".join(split_lines(target.source)[target.first_line - 1 : target.last_line]))


def _spoken(data: bytes) -> str:
    """Name the encoding that the file should have been in, for the message that it is not."""
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0].upper()
    except (SyntaxError, LookupError):
        return "UTF-8"


def _project_root(path: Path) -> str:
    return str(find_project_root(str(path)))


def _module(source: str) -> cst.Module:
    try:
        return cst.parse_module(source)
    except cst.ParserSyntaxError as error:
        raise TargetError(f"The file cannot be parsed, line {error.raw_line}: {error.message}") from None
    except RecursionError:
        raise TargetError("The file cannot be parsed: an expression in it is nested too deeply.") from None


@functools.lru_cache(maxsize=4)  # every function of a file is looked up, and again by each rule that fits it
def _places(source: str) -> tuple[FunctionPlace, ...]:
    try:
        return tuple(index_functions(_module(source)))
    except RecursionError:
        raise TargetError("The file cannot be parsed: an expression in it is nested too deeply.") from None


def _at(whole: Target, function: str, *, or_bound: bool) -> Target:
    """Narrow a target down to one function of its file."""
    places = _places(whole.source)
    place = next((place for place in places if place.qualname == function), None)
    if place is None and or_bound and (bindings := bindings_without_def(parse(whole.source), function)):
        first, last = bindings[-1].lineno, bindings[-1].end_lineno
        return replace(whole, function=function, first_line=first, last_line=last or first)
    if place is None:
        raise TargetError(_not_found(whole, function, [each.qualname for each in places if not each.is_accessor]))
    if place.is_accessor:
        raise TargetError(
            f"{function} in {whole.path} is a property. Only what is called can be optimised: "
            "move its work into a method and name that."
        )
    notes = whole.notes
    if place.earlier_definitions:
        times = place.earlier_definitions + 1
        notes = (f"{function} is defined {times} times; the last one counts, in line {place.first_line}.",)
    return replace(whole, function=function, first_line=place.first_line, last_line=place.last_line, notes=notes)


def _not_found(whole: Target, function: str, names: list[str]) -> str:
    """Say why there is no such function: what the name is instead, or which names are like it."""
    methods = [name for name in names if name.startswith(function + ".")]
    if methods:
        return f"{function} in {whole.path} is a class. Name one of its methods: {_listed(methods)}."
    outer = nested_functions(_module(whole.source), function.rpartition(".")[2])
    if outer:
        return f"{function} is defined inside {outer[0]} and exists only while that runs. Name {outer[0]} instead."
    other = explain_name(parse(whole.source), function)
    if other:
        return f"{function} in {whole.path} {other}"
    if not names:
        return f"No function {function} in {whole.path}: it defines none."
    near = difflib.get_close_matches(function, names, n=1, cutoff=0.5) or [
        name for name in names if name.rpartition(".")[2] == function.rpartition(".")[2]
    ]
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"No function {function} in {whole.path}.{hint} It defines: {_listed(names)}."


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
