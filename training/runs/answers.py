"""The code that a model would have to answer for a file to become what it became in a run."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from afterburner.agent.code.additions import first_line_of
from afterburner.agent.code.locate import function_source, with_source
from afterburner.agent.code.same_work import key_of
from afterburner.agent.code.source_text import split_lines
from afterburner.agent.code.splice import parse_answer_code, splice
from afterburner.agent.errors import TargetError

if TYPE_CHECKING:
    from afterburner.agent.types import Target


def answer_code(target: Target, source: str) -> str:
    """The code of an answer that the agent would turn into a file.

    For a function this is the function, with the imports and definitions that the file got with it; for a program it
    is the whole text.

    Args:
        target: in the original file.
        source: the file with the rewrite in place.

    Returns:
        The code; empty: no answer makes that file of the original, for example because an earlier rewrite is in it.
    """
    try:
        code = source if target.function is None else _with_additions(target, source)
        placed = splice(target, parse_answer_code(code, target))
    except (TargetError, SyntaxError, ValueError, RecursionError, MemoryError):  # the last two of deep nesting
        return ""
    return code if key_of(placed, target.language) == key_of(source, target.language) else ""


def _with_additions(target: Target, source: str) -> str:
    assert target.function is not None  # noqa: S101 - programs have no additions
    own = target.function.partition(".")[0]
    known = Counter(map(ast.dump, ast.parse(target.source).body))
    imports: list[str] = []
    helpers: list[str] = []
    lines = split_lines(source)
    for statement in ast.parse(source).body:
        if known[ast.dump(statement)] or getattr(statement, "name", "") == own:
            known[ast.dump(statement)] -= 1
            continue
        text = "".join(lines[first_line_of(statement) - 1 : statement.end_lineno]).rstrip()
        (imports if isinstance(statement, ast.Import | ast.ImportFrom) else helpers).append(text)
    parts = ["\n".join(imports), *helpers, function_source(with_source(target, source))]
    return "\n\n\n".join(each.rstrip() for each in parts if each) + "\n"
