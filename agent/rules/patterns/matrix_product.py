"""Products over lists of lists go along rows and transposed columns instead of looking every element up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import is_repeatable
from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits, is_name, walk
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class _Product:
    """`for i: for j: for k in range(depth): total += left[i][k] * right[k][j]`."""

    outer: cst.For
    middle: cst.For
    inner: cst.For
    target: str  # what is added to: `total`, `c[i][j]`
    row: str  # `left[i]`, or the row itself where the outer loop goes over rows
    right: str
    is_row_first: bool
    depth: str
    width: str

    @property
    def indices(self) -> tuple[str, str]:
        """The names of the middle and the inner index."""
        return text(self.middle.target), text(self.inner.target)


class MatrixProduct:
    """Multiply rows by transposed columns.

    Before::

        for i in range(n):
            for j in range(m):
                total = 0
                for k in range(p):
                    total += a[i][k] * b[k][j]
                c[i][j] = total

    After::

        b_columns = [[b[k][j] for k in range(p)] for j in range(m)] if n > 0 else []
        for i in range(n):
            row = [a[i][k] for k in range(p)]
            for j in range(m):
                total = 0
                for left, right in zip(row, b_columns[j]):
                    total += left * right
                c[i][j] = total

    The products are added in the same order, so that float results stay the same to the last digit.
    """

    name = "matrix-product"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every such nest of loops in the scope."""
        analysis, edits = Analysis(rule_input), Edits()
        for region in analysis.regions():
            for outer in analysis.tree.find(cst.For):
                product = _product(outer) if analysis.region_of(outer) is region else None
                if product and _is_safe(analysis, region, product):
                    _rewrite(analysis, region, product, edits)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


def _rewrite(analysis: Analysis, region: Region, product: _Product, edits: Edits) -> None:
    middle_index, inner_index = product.indices
    columns, row = analysis.fresh(f"{product.right}_columns", region), analysis.fresh("row", region)
    left, right = analysis.fresh("left", region), analysis.fresh("right", region)
    one_column = f"[{product.right}[{inner_index}][{middle_index}] for {inner_index} in range({product.depth})]"
    transposed = f"[{one_column} for {middle_index} in range({product.width})]"
    edits.insert_before(product.outer, f"{columns} = {transposed} if {_runs(product.outer)} else []")
    edits.insert_before(
        product.middle, f"{row} = [{product.row}[{inner_index}] for {inner_index} in range({product.depth})]"
    )
    factors = (left, right) if product.is_row_first else (right, left)
    edits.change(
        product.inner,
        lambda new: new.with_changes(
            target=cst.parse_expression(f"{left}, {right}"),
            iter=cst.parse_expression(f"zip({row}, {columns}[{middle_index}])"),
            body=cst.IndentedBlock(cst.parse_module(f"{product.target} += {' * '.join(factors)}\n").body),
        ),
    )


def _product(outer: cst.For) -> _Product | None:
    middle = _only_loop(outer.body)
    inner = _only_loop(middle.body) if middle else None
    if middle is None or inner is None or any(loop.orelse or loop.asynchronous for loop in (outer, middle, inner)):
        return None
    targets = [loop.target for loop in (outer, middle, inner)]
    if not all(isinstance(target, cst.Name) for target in targets) or len({text(target) for target in targets}) < 3:
        return None
    width, depth = _range_of(middle.iter), _range_of(inner.iter)
    added = _added(inner.body)
    if width is None or depth is None or added is None:
        return None
    outer_name, middle_name, inner_name = (text(target) for target in targets)
    target, factors = added
    for position, (left, right) in enumerate([factors, factors[::-1]]):
        row = _row(left, inner_name)
        matrix = _cell(right, inner_name, middle_name)
        if row is not None and matrix is not None and outer_name in row.replace("[", " ").replace("]", " ").split():
            return _Product(outer, middle, inner, target, row, matrix, position == 0, depth, width)
    return None


def _is_safe(analysis: Analysis, region: Region, product: _Product) -> bool:
    """Nothing that the columns or the row are made of changes in the loops; the inner index is not used elsewhere."""
    outer = product.outer
    _, inner_index = product.indices
    uses = len(analysis.occurrences(inner_index, region))
    if uses != len(analysis.occurrences(inner_index, product.inner)) or analysis.yields(outer):
        return False
    indices = {text(loop.target) for loop in (outer, product.middle, product.inner)}
    columns_of = {product.right, *_names_of(product.depth), *_names_of(product.width)} - {"len"}
    row_of = {product.row.partition("[")[0]} - {text(outer.target)}
    if columns_of & indices or row_of & indices or _runs(outer) is None:
        return False
    return not any(analysis.names(outer).binds[name] or _is_changed(outer, name) for name in columns_of | row_of)


def _is_changed(outer: cst.For, name: str) -> bool:
    """Whether an element of the list is set, or a method of it called, or it is handed to a call."""
    return any(_changes(node, name) for node in walk(outer))


def _changes(node: cst.CSTNode, name: str) -> bool:
    if isinstance(node, cst.AssignTarget | cst.AugAssign | cst.Del):
        return isinstance(node.target, cst.Subscript) and _is_of(node.target, name)
    if not isinstance(node, cst.Call):
        return False
    if isinstance(node.func, cst.Attribute) and _is_of(node.func.value, name):
        return True
    only_reads = is_name(node.func, "len") or is_name(node.func, "range")
    return not only_reads and any(_is_of(argument.value, name) for argument in node.args)


def _is_of(node: cst.CSTNode, name: str) -> bool:
    """Whether a node is the list itself, a row of it, or an element of a row."""
    for _ in range(2):
        node = node.value if isinstance(node, cst.Subscript) else node
    return is_name(node, name)


def _only_loop(body: cst.BaseSuite) -> cst.For | None:
    loops = [statement for statement in body.body if isinstance(statement, cst.For)]
    return loops[0] if len(loops) == 1 else None


def _range_of(iterable: cst.BaseExpression) -> str | None:
    """What `range` counts up to, from zero."""
    only = _only_argument(iterable, "range")
    if only is None or only.star or only.keyword:
        return None
    measured = _only_argument(only.value, "len")
    of = measured.value if measured is not None else None
    is_length = isinstance(of.value if isinstance(of, cst.Subscript) else of, cst.Name)
    return text(only.value) if is_length or is_repeatable(only.value) else None


def _only_argument(call: cst.BaseExpression, function: str) -> cst.Arg | None:
    """The argument of a call of a builtin that has one."""
    if not isinstance(call, cst.Call) or not is_name(call.func, function) or len(call.args) != 1:
        return None
    return call.args[0]


def _runs(loop: cst.For) -> str | None:
    """A condition under which the loop's body runs at all."""
    bound = _range_of(loop.iter)
    if bound is not None:
        return f"{bound} > 0"
    return text(loop.iter) if isinstance(loop.iter, cst.Name) else None


def _added(body: cst.BaseSuite) -> tuple[str, Sequence[cst.BaseExpression]] | None:
    """The target and both factors of `target += x * y`, if that is all there is."""
    if len(body.body) != 1 or not isinstance(body.body[0], cst.SimpleStatementLine):
        return None
    statement = body.body[0].body[0]
    if not isinstance(statement, cst.AugAssign) or not isinstance(statement.operator, cst.AddAssign):
        return None
    product = statement.value
    if not isinstance(product, cst.BinaryOperation) or not isinstance(product.operator, cst.Multiply):
        return None
    if len(body.body[0].body) != 1:
        return None
    return text(statement.target), (product.left, product.right)


def _row(factor: cst.BaseExpression, inner: str) -> str | None:
    """`a[i]` of `a[i][k]`, `row` of `row[k]`."""
    if not isinstance(factor, cst.Subscript) or _index(factor) != inner:
        return None
    inside = factor.value
    if isinstance(inside, cst.Name):
        return inside.value
    is_row = isinstance(inside, cst.Subscript) and isinstance(inside.value, cst.Name)
    return text(inside) if is_row and isinstance(inside, cst.Subscript) and _index(inside) is not None else None


def _cell(factor: cst.BaseExpression, inner: str, middle: str) -> str | None:
    """`b` of `b[k][j]`."""
    if not isinstance(factor, cst.Subscript) or _index(factor) != middle:
        return None
    inside = factor.value
    if isinstance(inside, cst.Subscript) and _index(inside) == inner and isinstance(inside.value, cst.Name):
        return inside.value.value
    return None


def _index(subscript: cst.Subscript) -> str | None:
    if len(subscript.slice) != 1 or not isinstance(subscript.slice[0].slice, cst.Index):
        return None
    value = subscript.slice[0].slice.value
    return value.value if isinstance(value, cst.Name) else None


def _names_of(expression: str) -> list[str]:
    return [node.value for node in walk(cst.parse_expression(expression)) if isinstance(node, cst.Name)]
