"""The file beside a module that calls its functions, where nothing else does."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from textwrap import dedent

from afterburner.agent.code.module_name import import_name

SUFFIX = "_calls.py"


def calls_file_of(path: str | Path) -> Path:
    """`shop_calls.py` for `shop.py`: what it calls is what a function of the module is judged on."""
    path = Path(path)
    return path.with_name(f"{path.stem}{SUFFIX}")


def calls_for(path: str | Path, function: str) -> Path | None:
    """The file beside a module, if it mentions the function; None: there is none, or it is about others.

    What it calls takes the place of all other sources of inputs, so it must not count for functions that it leaves out.
    """
    place = calls_file_of(path)
    try:
        text = place.read_text("utf-8", errors="replace")
    except OSError:
        return None
    name = function.rpartition(".")[2]
    code = "\n".join(line.partition("#")[0] for line in text.splitlines())
    return place if re.search(rf"\b{re.escape(name)}\s*\(", code) else None


def stub_for(path: str | Path, function: str, source: str) -> str:
    """A first text of such a file, to be filled in.

    Args:
        path: of the module.
        function: its qualified name.
        source: of the function.
    """
    module = import_name(Path(path))
    name, _, method = function.partition(".")
    arguments = ", ".join(_parameters(source, is_method=bool(method)))
    call = f"{name}(...).{method}({arguments})" if method else f"{name}({arguments})"
    return (
        f'"""Calls of {Path(path).name}: a rewrite of {function} is judged and measured on them."""\n\n'
        f"from {module} import {name}\n\n"
        "# Write calls as they really occur, some with small arguments and some with large ones, such as:\n"
        f"# {call}\n"
    )


def _parameters(source: str, *, is_method: bool) -> list[str]:
    """The names of a function's parameters; none if it does not parse."""
    try:
        [definition] = ast.parse(dedent(source)).body
    except (SyntaxError, ValueError):
        return []
    if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    found = definition.args
    names = [each.arg for each in (*found.posonlyargs, *found.args, *found.kwonlyargs)]
    return names[1:] if is_method else names
