"""A key that two texts share if they are the same work: then one of them is not worth a second judgement.

Of Python the code is compared that the compiler makes: comments, layout, docstrings and the names of locals are not in
it. Of other languages the tokens: comments and layout do not count, as far as layout does not count in the language.
Where in doubt two texts differ, which costs a measurement; they are never taken for the same in what is offered, for
each offer is judged and measured itself.
"""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from types import CodeType
from typing import TYPE_CHECKING

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Text

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.source_text import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEXERS = {"cpp": "cpp", "java": "java", "javascript": "javascript", "go": "go", "ruby": "ruby", "rust": "rust"}
_LINES_COUNT = frozenset(("go", "javascript", "ruby"))  # where the end of a line may end a statement
_BLANKS_COUNT = frozenset(("ruby",))  # `f [1]` is another thing than `f[1]`
_DIRECTIVE = re.compile(r"^//go:|^#.*(frozen[_-]string[_-]literal|coding[:=])|^#!")  # comments that are none
_SIGNS = frozenset("+-*/%&|^!~=<>?:.#@$")
_ASKS_FOR_NAMES = frozenset(("locals", "vars", "dir", "eval", "exec"))
_BRANCHES = frozenset((
    "if", "elsif", "unless", "for", "while", "until", "loop", "case", "when", "catch", "rescue", "match",
))  # fmt: skip
_MOST_CHARS = 200_000  # a longer text is its own key
_DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# What lets a program see its own text, or the numbers of its lines.
_SEES_ITS_TEXT = re.compile(
    r"\b(inspect|linecache|tokenize|traceback|_?getframe|currentframe|get_?source\w*|\w*lineno|__file__|__loader__|__spec__"
    r"|co_\w+|warnings)\b"
)


def key_of(source: str, language: str = PYTHON) -> str:
    """The key of a whole file in a language of the sandbox's table; a text that cannot be read is its own key."""
    try:
        if len(source) > _MOST_CHARS:
            parts = "text " + source
        elif language == PYTHON:
            parts = _of_python(source)
        else:
            parts = "\0".join(_of_tokens(source, language))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        parts = "text " + source
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def is_same_code(one: str, other: str, language: str = PYTHON) -> bool:
    """Whether two whole files are equal or, in Python, differ in comments or the layout alone.

    Unlike for `key_of`, docstrings and the names of locals count, since a program can read them. A file that seems to
    look at its own text or at the numbers of its lines has to be equal, and so has one in another language: in some of
    them a comment can be code.
    """
    if one == other:
        return True
    if language != PYTHON or any(_SEES_ITS_TEXT.search(text) for text in (one, other)):
        return False
    try:
        return ast.dump(parse(one)) == ast.dump(parse(other))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def branching_words(source: str, language: str) -> int:
    """How many keywords of a program in another language than Python make a branch or a loop."""
    return sum(token in _BRANCHES for token in _of_tokens(source, language))


def _of_python(source: str) -> str:
    """What the compiler makes of the text with every line in one place and without docstrings; it is not run."""
    tree = parse(source)
    for node in ast.walk(tree):
        if isinstance(node, _DEFINITIONS) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        for name in ("lineno", "end_lineno"):
            if hasattr(node, name):
                setattr(node, name, 1)
        for name in ("col_offset", "end_col_offset"):
            if hasattr(node, name):
                setattr(node, name, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the compiler, on what a model wrote
        return _of_code(compile(ast.fix_missing_locations(tree), "<program>", "exec", dont_inherit=True, optimize=0))


def _of_code(code: CodeType) -> str:
    """The code as text, locals by their numbers, unless it asks for their names."""
    arguments = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    named = code.co_varnames if _ASKS_FOR_NAMES & set(code.co_names) else code.co_varnames[:arguments]
    parts = (
        code.co_code.hex(),
        code.co_exceptiontable.hex(),
        str((code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_nlocals)),
        str((named, code.co_names, code.co_cellvars, code.co_freevars)),
        *(_of_constant(each) for each in code.co_consts),
    )
    return f"({';'.join(parts)})"


def _of_constant(value: object) -> str:
    """A constant with its type: 1, 1.0 and True differ, and so do 0.0 and -0.0."""
    if isinstance(value, CodeType):
        return _of_code(value)
    if isinstance(value, tuple):
        return f"tuple({','.join(map(_of_constant, value))})"
    if isinstance(value, frozenset):
        return f"frozenset({','.join(sorted(map(_of_constant, value)))})"
    return f"{type(value).__name__} {value!r}"


def _of_tokens(source: str, language: str) -> Iterator[str]:
    """The tokens; between them a line end or a blank, where it may mean something."""
    between, before = "", ""
    for kind, text in get_lexer_by_name(_LEXERS[language]).get_tokens(source):
        is_directive = kind in Comment.Preproc or kind in Comment.PreprocFile or _DIRECTIVE.match(text)
        is_comment = kind in Comment and not is_directive
        if is_comment or (not text.strip() and kind in Text):
            between += text if not is_comment else "\n" if "\n" in text else " "
            continue
        if not text:
            continue
        if before:
            yield from _between(between, before[-1], text[0], language)
        yield text.strip() if is_directive else text
        between, before = "", text


def _between(blanks: str, before: str, after: str, language: str) -> Iterator[str]:
    """What counts of the blanks between two tokens: also that `+ +` is not `++`."""
    if "\n" in blanks and language in _LINES_COUNT:
        yield "\n"
    elif blanks and (language in _BLANKS_COUNT or (before in _SIGNS and after in _SIGNS)):
        yield " "
