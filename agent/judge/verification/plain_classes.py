"""Tells from the text of a project which of its classes keep values and do nothing else when an object is made."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.judge.verification.project_text import ModuleText, ProjectText, bound_once

if TYPE_CHECKING:
    from collections.abc import Iterator

_DATACLASS = "dataclasses.dataclass"
_DECORATORS = {_DATACLASS, "functools.total_ordering", "enum.unique", "typing.final", "typing.runtime_checkable"}
_PLAIN_BASES = {"builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC"}
_ENUMS = {f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")}
_TUPLES = {"typing.NamedTuple", "collections.namedtuple"}
_EXCEPTIONS = {
    f"builtins.{name}"
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
_DEFAULTS = {  # what makes values that are no descriptors
    *("dataclasses.field", "datetime.date", "datetime.datetime", "datetime.time", "datetime.timedelta", "uuid.UUID"),
    *("decimal.Decimal", "fractions.Fraction", "pathlib.Path", "pathlib.PurePath", "enum.auto"),
    *(f"builtins.{name}" for name in ("bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple")),
}
_CONSTRUCTION = {"__init__", "__new__", "__post_init__", "__setattr__", "_missing_"}


@dataclass(frozen=True, slots=True)
class PlainClass:
    """What the text of a class says of its objects, together with the text of its bases.

    `holds_values` is a dataclass, a named tuple, an enum or an exception; `constructs`: the class has code of its own
    that runs when it is called; `drops`: it has code that runs when an object is forgotten; `computed` are attributes
    whose setting may run code.
    """

    holds_values: bool = False
    constructs: bool = False
    drops: bool = False
    computed: frozenset[str] = frozenset()

    @property
    def keeps_arguments(self) -> bool:
        """Whether a call makes an object that holds the arguments, or gives a member, and does no more."""
        return self.holds_values and not (self.constructs or self.drops)


_OBJECT, _VALUE = PlainClass(), PlainClass(holds_values=True)


@dataclass(frozen=True, slots=True)
class ClassReader:
    """Reads the classes of a project."""

    project: ProjectText

    def classes_of(self, module: ModuleText) -> dict[str, PlainClass | None]:
        """The classes that a module defines or imports from its project, by dotted name; None: not all is told."""
        found: dict[str, PlainClass | None] = {}
        for name in module.statements:
            definition = self.project.definition(module, name)
            if definition is not None:
                found |= self._under(name, *definition)
        return found

    def _under(self, name: str, module: ModuleText, statement: ast.stmt) -> dict[str, PlainClass | None]:
        """The class that a statement defines, and those inside it."""
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            return {name: _VALUE} if module.origin(statement.value) in _TUPLES | _ENUMS else {}
        if not isinstance(statement, ast.ClassDef):
            return {}
        found = {name: self._read(module, statement, frozenset())}
        for inner, nested in bound_once(statement.body).items():
            if isinstance(nested, ast.ClassDef):
                found |= self._under(f"{name}.{inner}", module, nested)
        return found

    def _read(self, module: ModuleText, node: ast.ClassDef, seen: frozenset[ast.ClassDef]) -> PlainClass | None:
        if node in seen or not _is_made_by_type(module, node):
            return None
        bases = [self._base(module, each, seen | {node}) for each in node.bases]
        known = [each for each in bases if each is not None]
        if len(known) < len(bases):
            return None
        methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
        fields = {each.target for each in node.body if isinstance(each, ast.AnnAssign)}
        computed = methods.union(_descriptors(module, node), *(each.computed for each in known))
        is_set = any(isinstance(each, ast.Name) and each.id in computed for each in fields)
        is_dataclass = any(module.origin(each) == _DATACLASS for each in node.decorator_list)
        return PlainClass(
            holds_values=is_dataclass or any(each.holds_values for each in known),
            constructs=is_set or bool(_CONSTRUCTION & methods) or any(each.constructs for each in known),
            drops="__del__" in methods or any(each.drops for each in known),
            computed=frozenset(computed),
        )

    def _base(self, module: ModuleText, node: ast.expr, seen: frozenset[ast.ClassDef]) -> PlainClass | None:
        origin = module.origin(node)
        if origin in _PLAIN_BASES:
            return _OBJECT
        if origin in _ENUMS | _TUPLES | _EXCEPTIONS:
            return _VALUE
        name = node.value if isinstance(node, ast.Subscript) else node
        definition = self.project.definition(module, name.id) if isinstance(name, ast.Name) else None
        if definition is None:
            return None
        home, statement = definition
        return self._read(home, statement, seen) if isinstance(statement, ast.ClassDef) else None


def _is_made_by_type(module: ModuleText, node: ast.ClassDef) -> bool:
    """Whether neither a metaclass nor a decorator makes something else of the class."""
    metaclass = [module.origin(each.value) if each.arg == "metaclass" else "" for each in node.keywords]
    return set(metaclass) <= {"abc.ABCMeta"} and all(module.origin(each) in _DECORATORS for each in node.decorator_list)


def _descriptors(module: ModuleText, node: ast.ClassDef) -> Iterator[str]:
    """Names that may stand for an object in the class that runs code when they are set in an instance."""
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as value):
                names = [name]
            case ast.Assign(targets=targets, value=ast.Call() as value):
                names = [each.id for each in targets if isinstance(each, ast.Name)]
            case _:
                continue
        if module.origin(value) not in _DEFAULTS:
            yield from names
