"""Source text as lines: Python's line ends, indentation that leaves strings alone, equality of code."""

from __future__ import annotations

import ast
import hashlib
import io
import re
import sys
import tokenize
import warnings

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LONG_NUMBER = re.compile(r"0[xXoObB][0-9a-fA-F_]{3000}")  # which Python reads, and may not write


def split_lines(text: str) -> list[str]:
    r"""Split into lines with their ends, at \n, \r\n and \r only, as Python does (`str.splitlines` knows more)."""
    return _LINE.findall(text)


def line_end(line: str) -> str:
    r"""Give the line's own end: "\n", "\r\n", "\r", or "" on a last line without one."""
    return line[len(line.rstrip("\r\n")) :]


def usual_line_end(lines: list[str]) -> str:
    """Give the end that most lines have."""
    ends = [end for end in map(line_end, lines) if end]
    return max(set(ends), key=ends.count) if ends else "\n"


def indentation(line: str) -> str:
    """Give the blanks that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def parse(text: str) -> ast.Module:
    """Parse as Python without printing the compiler's warnings about it.

    Raises:
        SyntaxError: the text is not Python; also for nesting that is too deep to parse, and for numbers of more digits
            than Python writes out.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
        except (RecursionError, MemoryError) as error:
            raise SyntaxError("nested too deeply") from error
        except ValueError as error:  # null bytes, lone surrogates
            raise SyntaxError(str(error)) from error
    if _LONG_NUMBER.search(text):
        _check_numbers(tree)
    return tree


def _check_numbers(tree: ast.Module) -> None:
    """Refuse what neither `ast.dump` nor `ast.unparse` can write: a long hexadecimal number."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            try:
                str(node.value)
            except ValueError as error:
                most = f"{sys.get_int_max_str_digits():,}"
                place = (None, node.lineno, node.col_offset + 1, None)
                raise SyntaxError(f"a number of more than {most} digits", place) from error


def lines_inside_strings(text: str) -> set[int]:
    """Give the indices (from 0) of the lines that begin inside a string literal: their blanks are data.

    The text has to be valid Python; it may be indented as a whole.
    """
    unified = "".join(line.rstrip("\r\n") + "\n" for line in split_lines(text))
    starts = {getattr(tokenize, name, None) for name in ("FSTRING_START", "TSTRING_START")}
    ends = {getattr(tokenize, name, None) for name in ("FSTRING_END", "TSTRING_END")}
    inside: set[int] = set()
    open_strings: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(unified).readline):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0], token.end[0]))
        elif token.type in starts:
            open_strings.append(token.start[0])
        elif token.type in ends:
            inside.update(range(open_strings.pop(), token.end[0]))
    return inside


def dedent(text: str) -> str:
    """Take the first line's indentation off every line, but not off the inside of strings."""
    lines = split_lines(text)
    prefix = indentation(lines[0]) if lines else ""
    if not prefix:
        return text
    inside = lines_inside_strings(text)
    return "".join(line if index in inside else line.removeprefix(prefix) for index, line in enumerate(lines))


def fingerprint(text: str) -> str:
    """Give a key that two texts share if they are the same code, whatever their comments and layout."""
    try:
        tree = ast.dump(parse(text))
    except (SyntaxError, RecursionError):
        tree = text
    return hashlib.sha256(tree.encode("utf-8", "surrogatepass")).hexdigest()


def same_code(first: str, second: str) -> bool:
    """Tell whether two texts are the same code, whatever their comments and layout."""
    return first == second or fingerprint(first) == fingerprint(second)
