"""What a piece of code uses of its project: functions, types and constants, with what these use in their turn."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from afterburner.agent.code.context.shown import class_part, outline, shown
from afterburner.agent.code.context.token_budget import Piece, Use
from afterburner.agent.code.source_text import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import PurePosixPath

    from afterburner.agent.code.context.resolver import Definition, Resolver

MAX_DEFINITIONS = 80
_DEEPEST = 2  # definitions that definitions use
_MAX_ANNOTATION_CHARS = 300
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def used_definitions(
    resolver: Resolver, own_file: PurePosixPath, node: ast.AST, function: str | None
) -> Iterator[Piece]:
    """Give what `node`, the target in its own file, uses of the project, the nearest first.

    Args:
        resolver: finds definitions.
        own_file: the target's file.
        node: the function, or the whole module of a program.
        function: the target's qualified name; None for a program, whose own file is told as a whole.
    """
    own_class, _, own_name = (function or "").rpartition(".")
    attributes = attributes_of(node)
    waiting: list[tuple[PurePosixPath, ast.AST, int]] = [(own_file, node, 1)]
    seen: set[tuple[PurePosixPath, str]] = {(own_file, function or "")}
    if own_class:
        yield from _own_class(resolver, own_file, own_class.partition(".")[0], attributes, own_name, waiting)
        seen.add((own_file, own_class.partition(".")[0]))
    while waiting:
        path, code, depth = waiting.pop(0)
        for dotted in dotted_names(code):
            found = resolver.find(path, dotted)
            if found is None or found.node is None or (found.path, found.name) in seen:
                continue
            seen.add((found.path, found.name))
            if len(seen) > MAX_DEFINITIONS:
                return
            if depth < _DEEPEST:
                waiting.append((found.path, found.node, depth + 1))
            if function is not None or found.path != own_file:
                yield _piece(found, own_file, attributes, direct=depth == 1)


def attributes_of(node: ast.AST) -> set[str]:
    """Give every attribute that the code uses, of whatever object."""
    return {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def dotted_names(node: ast.AST) -> list[str]:
    """Give the names that code uses, the longest chain of each (`shop.items.Item`), in reading order; once."""
    found: dict[str, None] = {}
    waiting: list[ast.AST] = [node]
    while waiting:
        each = waiting.pop()
        chain = _chain(each)
        if chain is not None:
            found.setdefault(chain)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            waiting += _annotation(each.value)
        else:
            waiting += reversed(list(ast.iter_child_nodes(each)))
    return list(found)


def _chain(node: ast.AST) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def _annotation(text: str) -> list[ast.AST]:
    """A string may be a type that is written as one: `"Item"`, `"list[shop.Item]"`."""
    if len(text) > _MAX_ANNOTATION_CHARS or not text[:1].isidentifier() or " " in text.strip().replace(" | ", ""):
        return []
    try:
        tree = parse(text)
    except (SyntaxError, RecursionError):
        return []
    one = tree.body[0] if len(tree.body) == 1 else None
    is_type = isinstance(one, ast.Expr) and isinstance(one.value, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp)
    return [one] if one is not None and is_type else []


def _own_class(  # noqa: PLR0917 - of one place only
    resolver: Resolver,
    own_file: PurePosixPath,
    name: str,
    attributes: set[str],
    without: str,
    waiting: list[tuple[PurePosixPath, ast.AST, int]],
) -> Iterator[Piece]:
    """The class of the target's method: its fields and the other methods that are called."""
    node = resolver.statements(own_file).get(name)
    if not isinstance(node, ast.ClassDef):
        return
    part = class_part(node, attributes, without)
    bases = ast.ClassDef("_", node.bases, node.keywords, [], node.decorator_list)
    waiting += [(own_file, bases, 1), (own_file, part, 2)]
    yield Piece(Use.CALLED, "", name, shown(part), outline(part))


def _piece(found: Definition, own_file: PurePosixPath, attributes: set[str], *, direct: bool) -> Piece:
    node = found.node
    if isinstance(node, ast.ClassDef):
        node, use = class_part(node, attributes), Use.TYPE
    else:
        use = Use.CALLED if isinstance(node, _FUNCTIONS) else Use.CONSTANT
    file = "" if found.path == own_file else str(found.path)
    if node is None:
        raise ValueError("a module has no text of its own")
    return Piece(use if direct else Use.FURTHER, file, found.name, shown(node), outline(node))
