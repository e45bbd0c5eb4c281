"""The description of a target that a model gets: its signature, what is around it, and what may be imported."""

from __future__ import annotations

import ast
from itertools import groupby
from typing import TYPE_CHECKING

from afterburner.agent.code.context.project_uses import used_definitions
from afterburner.agent.code.context.token_budget import Piece, Use, fit
from afterburner.agent.code.locate import function_source
from afterburner.agent.code.source_text import parse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import PurePosixPath

    from afterburner.agent.code.context.resolver import Resolver
    from afterburner.agent.types import Target

DEFAULT_TOKENS = 3_000
_PROGRAM = "The program reads its input from stdin and writes its result to stdout."
_ASK = (
    "Give the whole function with its decorators, and beside it only the imports and new module-level helpers "
    "that it needs. Nothing else of the module can be changed; its docstring and annotations stay as they are."
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def describe(
    target: Target,
    resolver: Resolver,
    own_file: PurePosixPath,
    tokens: int,
    *,
    around: Sequence[Piece] = (),
    told: Sequence[str] = (),
) -> str:
    """Describe the problem that a target solves.

    Args:
        target: the function or program as it stands.
        resolver: knows the project's files, the target's own with this text.
        own_file: the target's file there.
        tokens: what the pieces of context may take together, see `estimate_tokens`; with 0 there are none.
        around: callers and tests.
        told: sentences about where the code runs, whatever the budget.
    """
    tree = parse(target.source)
    if target.function is None:
        pieces = [*_documentation(tree), *used_definitions(resolver, own_file, tree, None)]
        return "\n\n".join([_PROGRAM, *told, *_context(pieces, tokens)])
    node = _function(target)
    kind = "method" if "." in target.function else "function"
    keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    signature = f"Rewrite the {kind} `{target.function}`:\n{keyword} {node.name}({ast.unparse(node.args)}){returns}"
    pieces = []
    if tokens:
        used = used_definitions(resolver, own_file, node, target.function)
        pieces = [*_documentation(node), *_imports(tree, node), *used, *around]
    return "\n\n".join([signature, *_context(pieces, tokens), " ".join([_ASK, *told])])


def _function(target: Target) -> _Function:
    node = parse(function_source(target)).body[0]
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        raise TypeError(f"{target.function} is no function")
    return node


def _documentation(node: _Function | ast.Module) -> list[Piece]:
    doc = ast.get_docstring(node)
    return [Piece(Use.DOCUMENTATION, "", "its docstring", doc, doc.partition("\n")[0])] if doc else []


def _imports(tree: ast.Module, node: _Function) -> list[Piece]:
    statements = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    needed = [each for each in statements if {(a.asname or a.name).partition(".")[0] for a in each.names} & names]
    texts = ["\n".join(map(ast.unparse, each)) for each in (statements, needed)]
    return [Piece(Use.IMPORTS, "", "the imports", *texts)] if statements else []


def _context(pieces: Sequence[Piece], tokens: int) -> list[str]:
    if not tokens:
        return []
    chosen, left_out = fit(pieces, tokens)
    of = {use: [piece for piece in chosen if piece.use is use] for use in Use}
    code = [piece for use in (Use.IMPORTS, Use.CONSTANT, Use.TYPE, Use.CALLED, Use.FURTHER) for piece in of[use]]
    own, others = ([each for each in code if bool(each.file) is elsewhere] for elsewhere in (False, True))
    parts = [f"Its documentation:\n{piece.text}" for piece in of[Use.DOCUMENTATION]]
    parts += _section("Of its module this is at hand:", own)
    parts += _section("Of other files of the project it uses:", others)
    parts += _section("Its tests:", of[Use.TEST])
    parts += _section("It is called here:", of[Use.CALLER])
    return [*parts, left_out] if left_out else parts


def _section(title: str, pieces: Sequence[Piece]) -> list[str]:
    if not pieces:
        return []
    lines: list[str] = []
    for file, group in groupby(pieces, key=lambda piece: piece.file):
        lines += [f"# {file}"] if file else []
        lines += [piece.text for piece in group]
    return [f"{title}\n```python\n" + "\n".join(lines) + "\n```"]
