"""Whether a gain is there for the first call of a process, which can have learnt nothing from another.

The caches that we know are emptied before each timed call (`driver/module_state.py`). A rewrite may keep what it has
computed elsewhere: in a namespace, behind a bound method, in another module. So where its text could do such a thing,
the dearest calls are timed once more, each as the only one of its process.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from afterburner.agent.judge.world_uses import changed_statements
from afterburner.agent.wording import format_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.decide import Judge
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.types import WorkloadCall

MOST_CALLS = 3
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_OF_PARTS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp)
_MAKES_CONSTANTS = frozenset(("compile", "maketrans", "frozenset", "Decimal", "Fraction", "Struct", "itemgetter"))
_REACHES_FAR = frozenset(("globals", "vars", "setattr", "delattr", "__dict__", "__class__", "__setattr__", "modules"))
_READS = frozenset((
    *("match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split", "get", "items", "keys", "values"),
    *("join", "format", "index", "count", "startswith", "endswith", "pack", "unpack", "copy"),
))  # fmt: skip


def may_remember(original: str, rewrite: str) -> bool:
    """Whether new code could keep something from one call to the next; where that is not plain, True.

    Args:
        original: the text of the user's file.
        rewrite: the text of the same file with the rewrite in place.
    """
    try:
        before, after = ast.parse(original), ast.parse(rewrite)
    except (SyntaxError, ValueError, RecursionError):
        return True
    changed = changed_statements(before, after)
    outer = {name for statement in after.body for name in _bound(statement)}
    return any(not _is_harmless(statement, outer) for statement in changed)


def gain_of_first_calls(
    bench: Workbench, judge: Judge, winner: str, calls: Sequence[WorkloadCall], deadline: Deadline
) -> str | None:
    """Why a gain is none, if no call has it that is the first of its process; None where one has.

    Args:
        bench: of the run, with the original.
        judge: likewise.
        winner: the text of the file with the rewrite in place.
        calls: those that the gain was measured on, in one process.
        deadline: when to give up, and believe the gain.
    """
    ratios: list[float] = []
    for call in sorted(calls, key=lambda call: call.cpu_time_s, reverse=True)[:MOST_CALLS]:
        if deadline.passed():
            return None
        [alone] = judge.screen(bench.source_of_calls(bench.target.source, [winner], [call]), deadline)
        if alone.gain is None or alone.gain.ratio > 1 + judge.min_effect:
            return None
        ratios.append(alone.gain.ratio)
    if not ratios:
        return None
    return (
        "the gain shows only after other calls, from what they have left: a call that is the first of its process is "
        f"{format_ratio(max(ratios))}"
    )


def _is_harmless(statement: ast.stmt, outer: set[str]) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return _keeps_nothing(statement, outer)
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return _is_known(value)
    return False


def _is_known(value: ast.expr) -> bool:
    """Whether an expression makes something that cannot be changed, or a plain container, which is emptied."""
    match value:
        case ast.Constant() | ast.Name():
            return True
        case ast.Attribute(value=owner, attr=name):
            return name in _READS and _is_known(owner)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _MAKES_CONSTANTS
    parts = (each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr))
    return isinstance(value, _OF_PARTS) and all(map(_is_known, parts))


def _keeps_nothing(function: ast.FunctionDef | ast.AsyncFunctionDef, outer: set[str]) -> bool:
    """Whether a function changes nothing but its arguments and its own names, as far as its text tells."""
    arguments = function.args
    if function.decorator_list or not all(map(_is_known, filter(None, (*arguments.defaults, *arguments.kw_defaults)))):
        return False
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    local = {each.arg for each in parameters if each is not None}
    local |= {name for statement in function.body for name in _bound(statement)}
    return not any(_may_keep(node, local, outer - local) for node in ast.walk(function))


def _may_keep(node: ast.AST, local: set[str], outer: set[str]) -> bool:
    match node:
        case ast.Global() | ast.Nonlocal():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _REACHES_FAR:
            return True
        case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
            return _root(node) not in local
        case ast.Call(func=ast.Attribute(attr=name) as method):
            return name not in _READS and _root(method) in outer
    return False


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _bound(statement: ast.AST) -> Iterator[str]:
    """Names that a statement binds, but for imports."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield node.name
