"""Which functions a file defines: names, nodes and lines, from its concrete syntax tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code import cst
from afterburner.agent.code.source_text import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ACCESSORS = {"property", "cached_property", "abstractproperty", "setter", "getter", "deleter"}


@dataclass(frozen=True, slots=True)
class FunctionPlace:
    """A function that a module or a class of it defines. Lines count from 1, inclusive, decorators included."""

    qualname: str
    node: cst.FunctionDef
    first_line: int
    last_line: int
    earlier_definitions: int  # of the same name, which Python forgets

    @property
    def is_accessor(self) -> bool:
        """Whether it is (part of) a property, so that nobody calls it by its name."""
        return any(_last_name(decorator.decorator) in _ACCESSORS for decorator in self.node.decorators)


def find_function(module: cst.Module, qualname: str) -> cst.FunctionDef | None:
    """Give the definition that Python would end up with under that name, or None."""
    found = _definitions(module).get(qualname)
    return found[-1] if found else None


def function_names(module: cst.Module) -> list[str]:
    """Give the qualified names of all functions that modules and classes define, in the order of the file."""
    return list(_definitions(module))


def index_functions(module: cst.Module) -> list[FunctionPlace]:
    """Find every function with its lines, in the order of the file."""
    wrapper = cst.MetadataWrapper(module, unsafe_skip_copy=True)  # nothing here changes a node
    positions = wrapper.resolve(cst.metadata.PositionProvider)
    places = []
    for qualname, nodes in _definitions(module).items():
        node = nodes[-1]
        first_line = positions[node.decorators[0] if node.decorators else node].start.line
        lines = len(split_lines(function_code(module, node)))
        real = [earlier for earlier in nodes[:-1] if not _is_overload(earlier)]
        places.append(FunctionPlace(qualname, node, first_line, first_line + lines - 1, len(real)))
    return sorted(places, key=lambda place: place.first_line)


def function_code(module: cst.Module, node: cst.FunctionDef) -> str:
    """Give the function's text, dedented: from its decorators to the comments that end its body."""
    return module.code_for_node(node.with_changes(leading_lines=()))


def nested_functions(module: cst.Module, name: str) -> list[str]:
    """Give the qualified names of the functions that define a function called `name` inside themselves."""
    return [
        qualname
        for qualname, nodes in _definitions(module).items()
        if any(inner == name for inner, _ in _walk(nodes[-1].body.body, "", into_functions=True))
    ]


def _definitions(module: cst.Module) -> dict[str, list[cst.FunctionDef]]:
    """Map each name to its definitions; a class or function of the same name displaces what was below it."""
    found: dict[str, list[cst.FunctionDef]] = {}
    classes: set[str] = set()  # only these have something below them
    for qualname, node in _walk(module.body, ""):
        if qualname in classes:
            for hidden in [name for name in found if name.startswith(qualname + ".")]:
                del found[hidden]
        if isinstance(node, cst.FunctionDef):
            found.setdefault(qualname, []).append(node)
        else:
            classes.add(qualname)
            found.pop(qualname, None)
    return found


def _walk(
    body: Sequence[cst.CSTNode], prefix: str, *, into_functions: bool = False
) -> Iterator[tuple[str, cst.FunctionDef | cst.ClassDef]]:
    """Yield the definitions of a scope in order, also those below `if`, `try`, `with`, loops and `match`."""
    for statement in body:
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            qualname = prefix + statement.name.value
            yield qualname, statement
            if isinstance(statement, cst.ClassDef) or into_functions:
                inner = prefix if into_functions else qualname + "."
                yield from _walk(statement.body.body, inner, into_functions=into_functions)
        else:
            for block in _blocks(statement):
                yield from _walk(block.body, prefix, into_functions=into_functions)


def _blocks(statement: cst.CSTNode) -> Iterator[cst.BaseSuite]:
    """Yield the blocks that a compound statement runs in the scope that it stands in."""
    body = getattr(statement, "body", None)
    if isinstance(body, cst.BaseSuite):
        yield body
    for name in ("handlers", "cases"):
        for part in getattr(statement, name, ()):
            yield from _blocks(part)
    for name in ("orelse", "finalbody"):
        part = getattr(statement, name, None)
        if isinstance(part, cst.CSTNode):
            yield from _blocks(part)


def _last_name(expression: cst.BaseExpression) -> str:
    if isinstance(expression, cst.Call):
        return _last_name(expression.func)
    if isinstance(expression, cst.Attribute):
        return expression.attr.value
    return expression.value if isinstance(expression, cst.Name) else ""


def _is_overload(node: cst.FunctionDef) -> bool:
    return any(_last_name(decorator.decorator) == "overload" for decorator in node.decorators)
