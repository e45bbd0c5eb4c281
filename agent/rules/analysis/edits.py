"""What rules that change containers share: statements beside others, and other values in bindings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.tree import parse_block, walk

if TYPE_CHECKING:
    from afterburner.agent.rules.analysis.resolve import Resolver
    from afterburner.agent.rules.analysis.tree import Edits, Tree


def small_statement(tree: Tree, node: cst.CSTNode) -> cst.BaseSmallStatement | None:
    """Give the simple statement that the node is, or stands in."""
    current: cst.CSTNode | None = node
    while current is not None and not isinstance(current, cst.BaseSmallStatement):
        current = None if isinstance(current, cst.BaseStatement) else tree.parents.get(current)
    return current


def is_statement(tree: Tree, node: cst.CSTNode) -> bool:
    """Tell whether an expression is a statement of its own: its value is not used."""
    return isinstance(tree.parents.get(node), cst.Expr)


def add_after(tree: Tree, edits: Edits, statement: cst.BaseSmallStatement, source: str) -> None:
    """Put a simple statement right after this one, on a line of its own where the layout allows it."""
    parent = tree.parents[statement]
    if isinstance(parent, cst.SimpleStatementLine) and len(parent.body) == 1:
        edits.insert_after(parent, source)
        return
    [line] = parse_block(source)
    added = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None

    def grow(kept: cst.BaseSmallStatement) -> cst.FlattenSentinel[cst.BaseSmallStatement]:
        return cst.FlattenSentinel([kept, added] if added else [kept])

    edits.change(statement, grow)  # type: ignore[arg-type] # an editor takes several nodes for one, too
    if isinstance(parent, cst.SimpleStatementSuite) and not edits.touches(parent):
        edits.change(parent, _as_block)


def _as_block(suite: cst.SimpleStatementSuite) -> cst.IndentedBlock:
    """Give each statement of `if x: a; b` a line of its own."""
    smalls = [each.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for each in suite.body]
    lines = [cst.SimpleStatementLine([each]) for each in smalls]
    lines[-1] = lines[-1].with_changes(trailing_whitespace=suite.trailing_whitespace)
    return cst.IndentedBlock(lines)


def leaves_block(tree: Tree, line: cst.BaseStatement) -> bool:
    """Tell whether a `break` or `continue` in a statement leads out of it, past what would stand after it."""
    for node in walk(line):
        if isinstance(node, cst.Break | cst.Continue):
            loops = tree.loops(node)
            if not loops or not tree.within(loops[0], line):
                return True
    return False


def is_repeatable(node: cst.BaseExpression) -> bool:
    """Tell whether an expression is so simple that it may be written, and evaluated, twice."""
    if isinstance(node, cst.Name | cst.BaseNumber | cst.SimpleString):
        return True
    if isinstance(node, cst.Attribute):
        return is_repeatable(node.value)
    if isinstance(node, cst.Tuple):
        return all(isinstance(each, cst.Element) and is_repeatable(each.value) for each in node.elements)
    if isinstance(node, cst.Subscript):
        indices = [each.slice.value for each in node.slice if isinstance(each.slice, cst.Index)]
        return len(indices) == len(node.slice) and all(map(is_repeatable, (node.value, *indices)))
    return False


def annotated(statement: cst.AnnAssign, type_name: str) -> cst.Assign | cst.AnnAssign:
    """Make an annotation `list[int]` that of the new type; one of another form goes."""
    annotation = statement.annotation.annotation
    owner = annotation.value if isinstance(annotation, cst.Subscript) else annotation
    if text(owner).rpartition(".")[2] in {"list", "List"}:
        new = cst.parse_expression(type_name)
        changed = annotation.with_changes(value=new) if isinstance(annotation, cst.Subscript) else new
        return statement.with_changes(annotation=statement.annotation.with_changes(annotation=changed))
    value = statement.value or cst.Name("None")
    return cst.Assign([cst.AssignTarget(statement.target)], value)


def as_set(value: cst.BaseExpression) -> cst.BaseExpression:
    """Write a set with the elements of a list, tuple or other iterable."""
    if isinstance(value, cst.List | cst.Tuple | cst.Call) and is_empty(value):
        return cst.Call(cst.Name("set"))
    if isinstance(value, cst.List):
        left = cst.LeftCurlyBrace(whitespace_after=value.lbracket.whitespace_after)
        right = cst.RightCurlyBrace(whitespace_before=value.rbracket.whitespace_before)
        return cst.Set(value.elements, lbrace=left, rbrace=right)
    if isinstance(value, cst.ListComp):
        left = cst.LeftCurlyBrace(whitespace_after=value.lbracket.whitespace_after)
        right = cst.RightCurlyBrace(whitespace_before=value.rbracket.whitespace_before)
        return cst.SetComp(value.elt, value.for_in, lbrace=left, rbrace=right)
    if isinstance(value, cst.GeneratorExp):
        return cst.SetComp(value.elt, value.for_in)
    if isinstance(value, cst.Call) and text(value.func) in {"list", "sorted", "tuple"} and value.args:
        only = value.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return value.with_changes(func=cst.Name("set"), args=[only])
    return cst.Call(cst.Name("set"), [cst.Arg(value)])


def is_empty(value: cst.BaseExpression) -> bool:
    """Tell whether a display or call is written without elements: `[]`, `list()`."""
    if isinstance(value, cst.Call):
        return text(value.func) in {"list", "tuple", "set"} and not value.args
    return isinstance(value, cst.List | cst.Tuple) and not value.elements


def first_argument(call: cst.Call) -> cst.BaseExpression | None:
    """Give the only argument of a call, if it is a plain one."""
    if len(call.args) == 1 and call.args[0].keyword is None and not call.args[0].star:
        return call.args[0].value
    return None


def imported_name(resolver: Resolver, module_name: str, name: str) -> tuple[str, tuple[str, ...]] | None:
    """Give how to write a thing of a module, `deque` or `heapq.nsmallest`, and the import that this needs.

    None if the file uses these names for something else.
    """
    spelled = resolver.spelled(f"{module_name}.{name}")
    if spelled is not None:
        return spelled, ()
    found = resolver.module_import(module_name)
    return (f"{found[0]}.{name}", found[1]) if found else None


def as_generator(value: cst.ListComp) -> cst.GeneratorExp:
    """Write the generator expression with the elements of a list comprehension."""
    left = cst.LeftParen(whitespace_after=value.lbracket.whitespace_after)
    right = cst.RightParen(whitespace_before=value.rbracket.whitespace_before)
    return cst.GeneratorExp(value.elt, value.for_in, lpar=[left], rpar=[right])
