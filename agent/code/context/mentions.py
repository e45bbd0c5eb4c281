"""Who calls a function in its project, and which tests name it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from afterburner.agent.code.context.project_uses import dotted_names
from afterburner.agent.code.context.shown import first_line, shown
from afterburner.agent.code.context.token_budget import Piece, Use

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import PurePosixPath

    from afterburner.agent.code.context.readable_files import ProjectFiles
    from afterburner.agent.code.context.resolver import Resolver

MAX_FILES = 80  # that name the function
MAX_CALLERS = 12
MAX_TESTS = 8
_MAX_LINES = 6  # of a call that is shown
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_test(path: PurePosixPath) -> bool:
    """Tell whether a file of a project holds tests or what they share."""
    folders = {part.lower() for part in path.parts[:-1]}
    name = path.stem.lower()
    return bool(folders & {"test", "tests", "testing"}) or name.startswith("test_") or name in {"conftest", "tests"}


def mentions(files: ProjectFiles, resolver: Resolver, own_file: PurePosixPath, function: str) -> Iterator[Piece]:
    """Give the tests that name the target, and the places that call it, those near its file first."""
    outer, _, name = function.rpartition(".")
    word = re.compile(rf"\b{re.escape(name)}\b")
    looked_at, callers, tests = 0, 0, 0
    for path in files.paths:
        text = files.text(path)
        if text is None or not word.search(text) or (outer and outer not in text and path != own_file):
            continue
        looked_at += 1
        if looked_at > MAX_FILES:
            return
        tree = files.tree(path)
        if tree is None:
            continue
        if is_test(path):
            for piece in _tests(tree, path, name):
                tests += 1
                if tests <= MAX_TESTS:
                    yield piece
        else:
            for piece in _callers(tree, resolver, path, own_file, function):
                callers += 1
                if callers <= MAX_CALLERS:
                    yield piece


def _tests(tree: ast.Module, path: PurePosixPath, name: str) -> Iterator[Piece]:
    for node in ast.walk(tree):
        if not isinstance(node, _FUNCTIONS) or not node.name.startswith("test"):
            continue
        if any(chain.rpartition(".")[2] == name for chain in dotted_names(node)):
            yield Piece(Use.TEST, str(path), node.name, shown(node))


def _callers(
    tree: ast.Module, resolver: Resolver, path: PurePosixPath, own_file: PurePosixPath, function: str
) -> Iterator[Piece]:
    for statement, scope in _statements(tree.body, ""):
        if path == own_file and (scope == function or scope.startswith(function + ".")):
            continue
        if not any(_calls(resolver, path, own_file, function, call) for call in _own_calls(statement)):
            continue
        lines = first_line(statement, scope).splitlines()
        more = ["…"] if len(lines) > _MAX_LINES else []
        where = f"line {statement.lineno}" + (f", in {scope}" if scope else "")
        text = "\n".join([f"# {where}", *lines[:_MAX_LINES], *more])
        yield Piece(Use.CALLER, "" if path == own_file else str(path), scope or path.name, text)


def _statements(body: list[ast.stmt], scope: str) -> Iterator[tuple[ast.stmt, str]]:
    """Yield every statement, however deep, with the qualified name of what it stands in."""
    waiting = [(statement, scope) for statement in reversed(body)]
    while waiting:
        statement, inside = waiting.pop()
        yield statement, inside
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            inside = f"{inside}.{statement.name}".lstrip(".")
        inner = [
            each for name in ("body", "handlers", "cases", "orelse", "finalbody") for each in _blocks(statement, name)
        ]
        waiting += [(each, inside) for each in reversed(inner)]


def _blocks(statement: ast.AST, name: str) -> Iterator[ast.stmt]:
    for each in getattr(statement, name, ()):
        if isinstance(each, ast.stmt):
            yield each
        else:
            yield from each.body


def _own_calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """Yield the calls of a statement itself, not those of the blocks in it."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield node
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]


def _calls(resolver: Resolver, path: PurePosixPath, own_file: PurePosixPath, function: str, call: ast.Call) -> bool:
    outer, _, name = function.rpartition(".")
    if outer:  # of what class an object is, nothing here tells: the name has to do
        return isinstance(call.func, ast.Attribute) and call.func.attr == name
    for chain in dotted_names(call.func)[:1]:
        if chain.rpartition(".")[2] != name and "." in chain:
            return False
        found = resolver.find(path, chain)
        return found is not None and (found.path, found.name) == (own_file, name)
    return False
