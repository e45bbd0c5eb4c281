"""Whole programs in other languages than Python: read, taken from an answer, put in place. Nothing here parses them."""

from __future__ import annotations

import os
from pathlib import Path

from afterburner.agent.code.additions import RewriteError
from afterburner.agent.code.languages import SPOKEN, check_whole
from afterburner.agent.code.read_file import MAX_SOURCE_BYTES, read_bytes
from afterburner.agent.code.source_text import line_end, split_lines, usual_line_end
from afterburner.agent.errors import TargetError
from afterburner.agent.types import Rewrite, Target
from afterburner.sandbox.project import find_project_root

_MARK = b"\xef\xbb\xbf"
_MODULE = "program"  # it has no import name, and records ask for one


def find_program(path: str | Path, language: str, *, function: str | None, whole_program: bool) -> Target:
    """Read a program that is optimised as a whole.

    Raises:
        TargetError: the file cannot be read or is not UTF-8, a function is asked for, or there are no cases.
    """
    check_whole(path, language, function=function, whole_program=whole_program)
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - Path.resolve would follow links
    source, encoding = _decoded(absolute, read_bytes(absolute))
    return Target(
        path=str(absolute),
        source=source,
        function=None,
        module=_MODULE,
        import_root=str(absolute.parent),
        project_root=str(find_project_root(str(absolute))),
        encoding=encoding,
        last_line=max(1, len(split_lines(source))),
        language=language,
    )


def describe_program(language: str) -> str:
    """What a model is told of a program beside its text."""
    return (
        "The program reads its input from stdin and writes its result to stdout. It is one file, with nothing but the "
        f"standard library. {SPOKEN[language].built} It has one processor core."
    )


def program_from_answer(code: str) -> Rewrite:
    """Take a model's code as the whole new program.

    Raises:
        RewriteError: it is empty, too large, or no text that a file can hold.
    """
    if not code.strip():
        raise RewriteError("The answer's code block holds no code.")
    if "\0" in code:
        raise RewriteError("The answer's code holds null characters.")
    if len(code.encode("utf-8", "surrogatepass")) > MAX_SOURCE_BYTES:
        raise RewriteError(f"The answer's code is too large: the limit is {MAX_SOURCE_BYTES:,} bytes.")
    return Rewrite(code)


def place_program(target: Target, rewrite: Rewrite) -> str:
    """Give the new text of the file: the rewrite, with the line ends and the last line's end of the old text.

    Raises:
        RewriteError: it has imports or helpers of its own, which only Python's rewrites have, or cannot be encoded.
    """
    if rewrite.imports or rewrite.helpers:
        raise RewriteError("A program in another language than Python is rewritten as a whole.")
    text, old_lines = rewrite.function, split_lines(target.source)
    if "\r" not in text:
        text = text.replace("\n", usual_line_end(old_lines))
    if line_end(old_lines[-1]) and not line_end(text[-2:]):
        text += usual_line_end(old_lines)
    try:
        text.encode(target.encoding)
    except UnicodeEncodeError as error:
        raise RewriteError(f"The rewrite has characters that {target.encoding} lacks: {error}.") from None
    return text


def _decoded(path: Path, data: bytes) -> tuple[str, str]:
    """The text without a byte order mark, and the encoding that gives back the bytes exactly."""
    if not data.strip():
        raise TargetError(f"{path} is empty: there is nothing to optimise.")
    if b"\0" in data:
        raise TargetError(f"{path} holds null bytes: it is no source text, or it is UTF-16; save it as UTF-8.")
    encoding = "utf-8-sig" if data.startswith(_MARK) else "utf-8"
    try:
        return data.decode(encoding), encoding
    except UnicodeDecodeError as error:
        raise TargetError(f"{path} is not UTF-8 text: {error}. Save it as UTF-8.") from None
