"""What a text of code has in quotes: the only place where a value counts for itself and not as part of a name."""

from __future__ import annotations

import ast
import re

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.source_text import parse

_QUOTED = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`""")


def quoted_text(code: str, language: str) -> str:
    """Give the contents of the string literals of code, docstrings left out, one after another."""
    if language != PYTHON:
        return "\n".join(_QUOTED.findall(code))
    try:
        tree = parse(code)
    except SyntaxError:
        return code
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings, and their like
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in alone]
    texts = (value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in constants)
    return "\n".join(text for text in texts if isinstance(text, str))
